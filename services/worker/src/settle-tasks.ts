import {
  type Draft,
  type Envelope,
  type Fault,
  type MeshHeaders,
  ok,
  positionOf,
  type Result,
  shardOf,
  type TaskResult,
} from '@foldmesh/envelope';
import type { Host } from '@foldmesh/runtime';

/** What the manager is told of an assignment that nobody could read, by the key that its header names. */
export const refusedTasks =
  (host: Pick<Host, 'instance' | 'ports'>) =>
  ({ key, attempt }: Pick<MeshHeaders, 'key' | 'attempt'>, why: Fault): Result<Draft> => {
    const at = host.ports.clock.now();
    const outcome = { kind: 'failed', fault: why } as const;
    const result = { key, attempt, outcome, worker: host.instance, started_at: at, ended_at: at };
    return ok(settleOf({ idempotency_key: key, attempt }, [result]));
  };

/** The answer to an assignment. */
export const settleOf = (
  { idempotency_key: key, attempt }: Pick<Envelope, 'idempotency_key' | 'attempt'>,
  results: TaskResult[],
): Draft => ({
  type: 'task.settle',
  to: { service: 'manager', pool: shardOf(positionOf(key).job) },
  key,
  attempt,
  payload: { results },
});
