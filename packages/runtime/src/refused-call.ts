import { type Draft, type Envelope, type Outcome, ok, type Type } from '@foldmesh/envelope';
import { type Answering, defectSource } from './answers.ts';
import type { Host } from './service.ts';

/** As much of a call as says who asked, and of what. */
export type Caller = Pick<Envelope, 'sender' | 'idempotency_key' | 'attempt'>;

/**
 * Refuses a call that nobody could read or that broke its handler. Where the inbox knows the very same call, another copy
 * of it is under way or done, and that one speaks: nobody is told that a thing failed which may have happened (M2).
 */
export const refusedCall =
  (
    { ports }: Pick<Host, 'ports'>,
    type: Type,
    settle: (caller: Caller, outcome: Outcome) => Draft,
  ): NonNullable<Answering['refusal']> =>
  async ({ from, key, attempt, print }, why) => {
    // A sender older than this header cannot be told.
    if (from === undefined) return ok(undefined);
    if (why.source !== defectSource) {
      const known = await ports.inbox.peek({ type, key });
      if (!known.ok) return known;
      if (known.value?.print === print) return ok(undefined);
    }
    return ok(settle({ sender: from, idempotency_key: key, attempt }, { kind: 'failed', fault: why }));
  };
