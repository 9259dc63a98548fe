import {
  type Binding,
  type Carried,
  fail,
  fault,
  type ItemSlice,
  type JobId,
  type Json,
  ok,
  type Probed,
  type Result,
  type TaskPart,
  type TenantId,
} from '@foldmesh/envelope';
import { type Lookup, lookupsIn, readPath, render } from '@foldmesh/job';
import { bindingValue, faultAt, frozen, type Values, walk } from '@foldmesh/runtime';
import { laterFault } from './later-fault.ts';

/** Where a task's lookups find their values. */
export interface Sources {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly values: Values;
  readonly bind: Readonly<Record<string, Binding>>;
  /** Outputs of tasks that ran before it in the same assignment, by task id. */
  readonly local: ReadonlyMap<string, Carried>;
}

/** The input a task runs on: its template with every lookup replaced. A path that is not there is `invalid`, with the keys that are. */
export const inputOf = async (part: TaskPart, sources: Sources): Promise<Result<Json>> => {
  const found = new Map<string, Json>();
  for (const lookup of lookupsIn(part.input).lookups) {
    if (found.has(lookup.text)) continue;
    const value = await valueAt(lookup, part.item, sources);
    if (!value.ok)
      return value.fault.kind === 'invalid'
        ? fail(faultAt(`input: \${${lookup.text}}`, value.fault))
        : fail(laterFault(value.fault));
    found.set(lookup.text, value.value);
  }
  return ok(frozen(render(part.input, (lookup) => found.get(lookup.text) ?? null)));
};

const valueAt = async (
  lookup: Lookup,
  item: ItemSlice | undefined,
  sources: Sources,
): Promise<Result<Json>> => {
  if (lookup.of === 'item')
    return item === undefined
      ? fail(fault('invalid', 'there is no item'))
      : itemValue(item, lookup.path, sources);
  const bound = Object.hasOwn(sources.bind, lookup.text) ? sources.bind[lookup.text] : undefined;
  if (bound !== undefined) return bindingValue(bound, sources.tenant, sources.job, sources.values);
  const local = lookup.of === 'output' ? sources.local.get(lookup.task) : undefined;
  if (local === undefined) return fail(fault('invalid', 'nothing was handed over for it'));
  return walk(await sources.values.load(sources.tenant, sources.job, local), lookup.path);
};

const itemValue = async (
  { of, from, to, single }: ItemSlice,
  path: readonly string[],
  sources: Sources,
): Promise<Result<Json>> => {
  const list = await bindingValue(of, sources.tenant, sources.job, sources.values);
  if (!list.ok) return list;
  if (!Array.isArray(list.value)) return fail(fault('invalid', 'what for_each goes over is no list'));
  const slice: Json = list.value.slice(from, to);
  return walk(ok(single ? ((slice as readonly Json[])[0] ?? null) : slice), path); // a slice of a list is a list
};

/** Looks into an output for those that will need a part of it. */
export const probe = (output: Json, probes: readonly (readonly string[])[]): Probed[] =>
  probes.map((path) => {
    const found = readPath(output, path);
    return 'missing' in found
      ? { missing: found.missing }
      : { length: Array.isArray(found.value) ? found.value.length : null };
  });
