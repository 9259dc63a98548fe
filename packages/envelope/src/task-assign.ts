import { z } from 'zod';
import { json } from './json.ts';
import { Key } from './key.ts';
import { limits } from './limits.ts';
import { BlobRef, Carried, Run } from './outcome.ts';

/** Field names and list indices from a value downwards. */
export const Path = z.array(z.string().max(limits.nameLengthMax)).max(limits.nestingMax);

/** What a lookup stands for: a value, a blob, or one entry per child of a `for_each` (null is a gap); then a path into it. */
export const Binding = z.union([
  z.strictObject({ value: json, path: Path.optional() }),
  z.strictObject({ ref: BlobRef, path: Path.optional() }),
  z.strictObject({ list: z.array(Carried.nullable()), path: Path.optional() }),
]);
export type Binding = z.infer<typeof Binding>;

/** The slice `[from, to)` of a list that one child works on; `single` gives the element itself instead of a list. */
export const ItemSlice = z.strictObject({
  of: Binding,
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  single: z.boolean(),
});
export type ItemSlice = z.infer<typeof ItemSlice>;

/** One task of an assignment: what to run, on which input; lookups in `input` are not yet replaced. */
export const TaskPart = z.strictObject({
  key: Key,
  run: Run,
  input: json,
  item: ItemSlice.optional(),
  /** Paths into the output that others will need: the settle says for each whether it is there and how long it is. */
  probes: z.array(Path).optional(),
});
export type TaskPart = z.infer<typeof TaskPart>;

/**
 * 1…n tasks for one worker, in order: a task alone, a fused chain, an unsplit job or a bundle of small siblings.
 * `attempts` is given for several tasks (one alone has it in the header); `bind` maps each lookup, without `${}`.
 */
export const TaskAssign = z.strictObject({
  tasks: z.array(TaskPart).min(1).max(limits.assignmentTasksMax),
  attempts: z.array(z.int().positive()).optional(),
  bind: z.record(z.string(), Binding).optional(),
});
export type TaskAssign = z.infer<typeof TaskAssign>;
