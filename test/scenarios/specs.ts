import type { Json } from '@foldmesh/envelope';

type Task = { readonly [field: string]: Json };

/** A job of these tasks; `more` goes beside its plan, a `result` into it. */
export const jobOf = (
  tasks: readonly Task[],
  { result, ...more }: { readonly [field: string]: Json } = {},
): Json => ({
  name: 'a-job',
  ...more,
  plan: { tasks, ...(result !== undefined && { result }) },
});

/** A task of one tool call whose side effect is a row of this id. */
export const book = (
  id: string,
  effect: 'read' | 'idempotent' | 'keyed' | 'unsafe' = 'keyed',
  { input = {}, ...more }: { readonly input?: Task; readonly [field: string]: Json | undefined } = {},
): Task => ({ id, tool: `witness.${effect}`, input: { id, ...input }, ...(more as Task) }); // nothing in it is undefined

/** `${tasks.list.output}` for `tasks.list.output`. */
export const look = (path: string): string => `\${${path}}`;
