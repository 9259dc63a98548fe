import { liftsBy, storedReader } from '@foldmesh/envelope';
import { z } from 'zod';

/** What version 1 of an invented event said. */
const First = z.strictObject({
  kind: z.literal('task-joined'),
  v: z.literal(1),
  task: z.int(),
  at_seconds: z.int(),
});

const Second = z.strictObject({
  kind: z.literal('task-joined'),
  v: z.literal(2),
  task: z.int().nonnegative(),
  at: z.int(),
});

/**
 * An invented history of `task-joined`, so that lifting is tried before a real event needs it: version 1 counted seconds,
 * version 2 says what `task-joined` says today.
 */
export const readInventedEvent = storedReader(
  'an invented event',
  Second,
  liftsBy({
    'task-joined': [
      (older) => {
        const { kind, task, at_seconds } = First.parse(older);
        return { kind, v: 2, task, at: at_seconds * 1_000 };
      },
    ],
  }),
);
