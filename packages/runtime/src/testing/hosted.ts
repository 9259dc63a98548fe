import type { Envelope, Queue } from '@foldmesh/envelope';
import { type AnsweredQueue, type Answering, answers, type Verdict } from '../answers.ts';
import type { InHand } from '../work.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import type { FakePorts } from './fake-ports.ts';
import { type Delivered, deliveryOf, type FakeDelivery, pool, toolCall, type Which } from './messages.ts';

export const queue: Queue = { service: 'tool-gateway', pool, lane: 'call' };

export const answerTo = (
  { idempotency_key: key, attempt }: Pick<Envelope, 'idempotency_key' | 'attempt'>,
  output = 'done',
) =>
  ({
    type: 'tool.settle',
    to: { service: 'worker', pool },
    key,
    attempt,
    payload: { outcome: { kind: 'done', output: { value: output } } },
  }) as const;

export type Work = Answering<'tool.call'>['work'];

export const answered: Work = async (_, envelope) => ({ kind: 'answer', draft: answerTo(envelope) });

/** A handler host at work. */
export interface Hosted {
  readonly host: FakeHost;
  /** Intake stops; resolves when all has ended. */
  stop(): Promise<void>;
}

/** What a test wants otherwise of its queue, or of who answers `tool.call` in it. */
export type More = Partial<Omit<AnsweredQueue, 'queue'>> & Pick<Answering<'tool.call'>, 'refusal'>;

/** Starts a host, lays these before it, and lets some time pass. */
export const hosted = async (
  fake: FakePorts,
  deliveries: readonly FakeDelivery[],
  work: Work = answered,
  { refusal, ...more }: More = {},
): Promise<Hosted> => {
  const host = fakeHost(fake);
  const by: readonly Answering<'tool.call'>[] = [
    { type: 'tool.call', work, ...(refusal !== undefined && { refusal }) },
  ];
  const started = await answers({ queue, slots: 4, by, ...more })(host);
  if (!started.ok) throw new Error(started.fault.detail);
  fake.feed(queue, ...deliveries);
  await fake.clock.pass(100);
  return {
    host,
    async stop() {
      host.stopIntake();
      await fake.clock.pass(100);
      await host.nursery.settled();
    },
  };
};

export const callTo = (fake: FakePorts, which: Which = {}, how: Delivered = {}): FakeDelivery =>
  deliveryOf(toolCall(1, fake.clock.now(), which), fake.clock, how);

/** Works until it is told to stop. */
export const untilStopped =
  (fake: FakePorts, seen: InHand[], verdict: Verdict): Work =>
  async (hand) => {
    seen.push(hand);
    await fake.clock.sleep(60_000, hand.hold.signal);
    return verdict;
  };
