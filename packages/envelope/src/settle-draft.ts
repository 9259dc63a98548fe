import type { Draft, Envelope } from './envelope.ts';
import { PoolName } from './ids.ts';
import type { Outcome } from './outcome.ts';

/** Answers calls of one kind, where the pool is that sent them: an agent's run lives there. A skill waits on a subject of its own. */
export const settleDraft =
  (type: 'tool.settle' | 'memory.settle') =>
  (
    { sender, idempotency_key: key, attempt }: Pick<Envelope, 'sender' | 'idempotency_key' | 'attempt'>,
    outcome: Outcome,
  ): Draft => ({
    type,
    to: { service: 'worker', pool: PoolName.parse(sender.split('.')[1] ?? 'default') },
    key,
    attempt,
    payload: { outcome },
  });
