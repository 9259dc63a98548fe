import {
  type Binding,
  type Carried,
  cut,
  type ItemSlice,
  type Json,
  type JsonObject,
} from '@foldmesh/envelope';
import { type Lookup, lookupsIn, readPath, wholeLookup } from './lookups.ts';
import type { Group, JobState } from './state.ts';
import { ordinalOf, planOf, taskAt, taskIdOf } from './tasks.ts';

/**
 * What each lookup in a template stands for, by its text. A task's output that travels by reference stays one: who
 * carries the task out fetches it. Left out: `item`, and outputs of tasks in `local`, which the worker makes itself.
 */
export const bindAll = (
  state: JobState,
  template: Json,
  local: ReadonlySet<number>,
): Record<string, Binding> => {
  const bound: Record<string, Binding> = {};
  for (const lookup of lookupsIn(template).lookups) {
    const binding = bindOne(state, lookup, local);
    if (binding !== undefined) bound[lookup.text] = binding;
  }
  return bound;
};

const bindOne = (state: JobState, lookup: Lookup, local: ReadonlySet<number>): Binding | undefined => {
  if (lookup.of === 'item') return undefined;
  if (lookup.of === 'inputs') {
    const found = readPath(inputsOf(state), lookup.path);
    return { value: 'value' in found ? found.value : null }; // checked before the job was accepted
  }
  const ordinal = ordinalOf(state, lookup.task);
  if (ordinal === undefined) return undefined;
  if (lookup.of === 'output') return local.has(ordinal) ? undefined : outputOf(state, ordinal, lookup.path);
  // Whoever comes behind a task in its assignment is begun only when that has completed, so nothing is missing then.
  return { value: local.has(ordinal) ? [] : gapsOf(state, ordinal), path: [...lookup.path] };
};

const inputsOf = (state: JobState): JsonObject => state.spec?.inputs ?? {};

/** A task's output, or one entry per child of a `for_each`; what did not complete is null, and named among the gaps. */
const outputOf = (state: JobState, ordinal: number, path: readonly string[]): Binding => {
  const task = taskAt(state, ordinal);
  if (task.status !== 'completed') return { value: null };
  if (task.group !== undefined) return { list: childrenOf(state, task.group), path: [...path] };
  return { ...(task.output ?? { value: null }), path: [...path] };
};

const childrenOf = (state: JobState, { base, count }: Group, from = 0, to = count): (Carried | null)[] =>
  state.tasks.slice(base + from, base + Math.min(to, count)).map((child) => child.output ?? null);

const gapDetailBytesMax = 200;

/** What is missing from a task's output and why: its children that did not complete, or itself. */
export const gapsOf = (
  state: JobState,
  ordinal: number,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): readonly Json[] => {
  const { group, status } = taskAt(state, ordinal);
  if (group !== undefined) return group.gaps.slice(from, to).map((child) => gapOf(state, group.base + child));
  return status === 'completed' ? [] : [gapOf(state, ordinal)].slice(from, to);
};

const gapOf = (state: JobState, ordinal: number): Json => {
  const { status, fault, because } = taskAt(state, ordinal);
  const reason =
    fault?.detail ?? (because === undefined ? status : `${taskIdOf(state, because)} did not complete`);
  return { task: taskIdOf(state, ordinal), status, reason: cut(reason, gapDetailBytesMax) };
};

/** The list a `for_each` goes over: how long it is, or what is missing. */
export const sourceLength = (
  state: JobState,
  ordinal: number,
): { readonly length: number } | { readonly missing: string } => {
  const source = planOf(state, ordinal).for_each?.source;
  if (Array.isArray(source)) return { length: source.length };
  const lookup = typeof source === 'string' ? wholeLookup(source) : undefined;
  if (lookup === undefined) return { missing: 'for_each is no lookup' };
  const target = 'task' in lookup ? ordinalOf(state, lookup.task) : undefined;
  if (lookup.of === 'output' && target !== undefined) return outputLength(state, target, lookup);
  const binding = bindOne(state, lookup, new Set());
  const found =
    binding !== undefined && 'value' in binding
      ? readPath(binding.value, binding.path ?? [])
      : { missing: 'nothing' };
  if ('missing' in found) return { missing: `\${${lookup.text}}: ${found.missing}` };
  return Array.isArray(found.value)
    ? { length: found.value.length }
    : { missing: `\${${lookup.text}} is not a list` };
};

/** The worker has looked: its probe says how long the list is that lies in the output. */
const outputLength = (
  state: JobState,
  target: number,
  lookup: Lookup,
): { readonly length: number } | { readonly missing: string } => {
  const task = taskAt(state, target);
  if (task.group !== undefined) return { length: task.group.count };
  if (task.status !== 'completed') return { length: 0 };
  const index = planOf(state, target).probes.findIndex((path) => path.join('.') === lookup.path.join('.'));
  const probed = task.probed?.[index];
  if (probed === undefined) return { missing: `\${${lookup.text}} was not looked at` };
  if ('missing' in probed) return { missing: `\${${lookup.text}}: ${probed.missing}` };
  return probed.length === null ? { missing: `\${${lookup.text}} is not a list` } : { length: probed.length };
};

/** The part of the list that one child works on. A list that lies in the job is cut here, any other at the worker. */
export const itemOf = (state: JobState, ordinal: number): ItemSlice | undefined => {
  const { child } = taskAt(state, ordinal);
  const loop = planOf(state, ordinal).for_each;
  const group = taskAt(state, taskAt(state, ordinal).plan).group;
  if (child === undefined || loop === undefined || group === undefined) return undefined;
  const batch = loop.batch ?? 1;
  const [from, to] = [child * batch, Math.min((child + 1) * batch, group.items)];
  const single = loop.batch === undefined;
  const cutHere = (of: ItemSlice['of']): ItemSlice => ({ of, from: 0, to: to - from, single });
  if (Array.isArray(loop.source)) return cutHere({ value: loop.source.slice(from, to) });
  const lookup = typeof loop.source === 'string' ? wholeLookup(loop.source) : undefined;
  if (lookup === undefined) return undefined;
  // Of what other children made only the slice is put together: the whole list for each of 10,000 is 10⁸ steps.
  const maker = 'task' in lookup && lookup.path.length === 0 ? ordinalOf(state, lookup.task) : undefined;
  const made = maker === undefined ? undefined : taskAt(state, maker).group;
  if (maker !== undefined && lookup.of === 'gaps') return cutHere({ value: gapsOf(state, maker, from, to) });
  if (made !== undefined) return cutHere({ list: childrenOf(state, made, from, to) });
  const of = bindOne(state, lookup, new Set());
  if (of === undefined) return undefined;
  const found = 'value' in of ? readPath(of.value, of.path ?? []) : undefined;
  if (found !== undefined && 'value' in found && Array.isArray(found.value))
    return cutHere({ value: found.value.slice(from, to) });
  return { of, from, to, single };
};
