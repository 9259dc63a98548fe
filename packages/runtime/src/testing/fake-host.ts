import { ok, readHeaders } from '@foldmesh/envelope';
import type { Span } from '@opentelemetry/api';
import { ROOT_CONTEXT, trace as tracing } from '@opentelemetry/api';
import type { Call } from '../call.ts';
import { holdDelivery } from '../heartbeat.ts';
import { nursery } from '../nursery.ts';
import type { Host } from '../service.ts';
import { hostSettings } from '../settings.ts';
import { slots } from '../slots.ts';
import { storeMark } from '../store-mark.ts';
import type { InHand } from '../work.ts';
import type { FakePorts } from './fake-ports.ts';
import { type FakeDelivery, job, keyAt, tenant, trace } from './messages.ts';

/** A host over fake ports, and the two signals that stop it. */
export interface FakeHost extends Host {
  readonly stopIntake: () => void;
  readonly stopWork: () => void;
}

export const fakeHost = ({ ports }: FakePorts, settings: Partial<Host['settings']> = {}): FakeHost => {
  const intake = new AbortController();
  const work = new AbortController();
  return {
    party: 'worker.default',
    instance: 'worker.default-1',
    ports,
    settings: { ...hostSettings, ...settings },
    nursery: nursery((error) => {
      throw error;
    }),
    mark: storeMark(ports.inbox, ports.clock),
    intake: intake.signal,
    work: work.signal,
    stopIntake: () => intake.abort(),
    stopWork: () => work.abort(),
  };
};

const silentSpan = (): Span => tracing.getTracer('test').startSpan('test', {}, ROOT_CONTEXT);

/** A delivery in hand, held and renewed until it is disposed. */
export const handOf = (host: Host, delivery: FakeDelivery): InHand => {
  const read = readHeaders(delivery.headers);
  if (!read.ok) throw new Error(read.fault.detail);
  return {
    host,
    delivery,
    headers: read.value,
    hold: holdDelivery(host.ports, delivery, host.settings.ackWaitMs),
    slot: slots(4).take(),
    span: silentSpan(),
    trace_id: trace,
    deadline: read.value.deadline ?? read.value.since,
  };
};

/** A call as a middleware meets it. */
export const callOf = (of: Partial<Call> = {}): Call => ({
  tenant,
  job,
  key: keyAt(1),
  attempt: 1,
  strikes: 0,
  tries: 0,
  again: false,
  since: 0,
  deadline: Number.MAX_SAFE_INTEGER,
  signal: new AbortController().signal,
  trace_id: trace,
  span: silentSpan(),
  start: async () => ok('held' as const),
  ...of,
});
