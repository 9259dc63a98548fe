import {
  CommandId,
  type Draft,
  JobId,
  type Json,
  jobTask,
  keyOf,
  sha256Hex,
  shardOf,
  TenantId,
  traceIdFrom,
} from '@foldmesh/envelope';
import type { Entity, Ports } from '@foldmesh/ports';
import { send, steadyPorts } from '@foldmesh/runtime';

type Command =
  | { readonly type: 'job.submit'; readonly payload: { readonly spec: Json } }
  | { readonly type: 'job.cancel'; readonly payload: { readonly reason: string } }
  | {
      readonly type: 'run.answer';
      readonly payload: { readonly request: string; readonly value: Json; readonly by: string };
    };

/** Whoever asks for jobs: it publishes commands as the API does. */
export interface Client {
  /** Until it is stored, under one wire id, or until the client gives up. */
  command(job: string, what: Command): Promise<void>;
  giveUp(): void;
}

export const tenant = TenantId.parse('acme');
export const entityOf = (job: string): Entity => ({ tenant, job: JobId.parse(job) });

export const clientOf = (ports: Ports, say: (what: string) => void): Client => {
  const steady = steadyPorts(ports);
  const over = new AbortController();
  return {
    giveUp: () => over.abort(),
    async command(job, what) {
      const at = ports.clock.now();
      const key = keyOf({
        ...entityOf(job),
        task: jobTask,
        round: 1,
        step: '0',
        call: CommandId.parse(`c-${sha256Hex(JSON.stringify(what)).slice(0, 32)}`),
      });
      const draft: Draft = {
        ...what,
        to: { service: 'manager', pool: shardOf(entityOf(job).job) },
        key,
        attempt: 1,
      };
      const stamp = { sender: 'manager' as const, at, since: at, epoch: 0, trace_id: traceIdFrom(job) };
      while (!over.signal.aborted) {
        const sent = await send(steady, draft, stamp);
        if (sent.ok) return say(`${what.type} ${job}`);
        await ports.clock.sleep(sent.fault.retry_after_ms ?? 1_000, over.signal);
      }
    },
  };
};
