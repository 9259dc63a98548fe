import { expect, it } from 'vitest';
import { Key } from './key.ts';
import type { Party } from './party.ts';
import { settleDraft } from './settle-draft.ts';

const key = Key.parse('acme/j-1/a/1/3/0');

it.each<[Party, string]>([
  ['worker.gpu', 'gpu'],
  ['manager', 'default'],
])(
  'the answer to a call from %s goes to the pool %s, in the name and attempt of the call',
  (sender, pool) => {
    const outcome = { kind: 'done', output: { value: 1 } } as const;
    const caller = { sender, idempotency_key: key, attempt: 2 };
    expect(settleDraft('memory.settle')(caller, outcome)).toEqual({
      type: 'memory.settle',
      to: { service: 'worker', pool },
      key,
      attempt: 2,
      payload: { outcome },
    });
  },
);
