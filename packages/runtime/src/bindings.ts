import {
  type Binding,
  fail,
  fault,
  type JobId,
  type Json,
  ok,
  type Result,
  type TenantId,
} from '@foldmesh/envelope';
import { type JobState, readPath, render, resultOf } from '@foldmesh/job';
import { faultAt } from './gone.ts';
import type { Values } from './values.ts';

/** The value that a lookup was bound to; a path that is not there is `invalid`, with the keys that are. */
export const bindingValue = async (
  binding: Binding,
  tenant: TenantId,
  job: JobId,
  values: Values,
): Promise<Result<Json>> => {
  const path = binding.path ?? [];
  if (!('list' in binding)) return walk(await values.load(tenant, job, binding), path);
  const [index, ...rest] = path;
  if (index !== undefined) {
    // One child of many: only its own output is read.
    const child = /^\d+$/.test(index) ? binding.list[Number(index)] : undefined;
    if (child === undefined)
      return fail(fault('invalid', `no ${index}; there is a list of ${binding.list.length}`));
    return child === null ? ok(null) : walk(await values.load(tenant, job, child), rest);
  }
  const all: Json[] = [];
  for (const carried of binding.list) {
    const value = carried === null ? ok(null) : await values.load(tenant, job, carried);
    if (!value.ok) return value;
    all.push(value.value);
  }
  return ok(all);
};

/** A path into a value that was perhaps found. */
export const walk = (value: Result<Json>, path: readonly string[]): Result<Json> => {
  if (!value.ok) return value;
  const found = readPath(value.value, path);
  return 'missing' in found ? fail(fault('invalid', found.missing)) : ok(found.value);
};

/** A completed job's result, its parts fetched from where they lie. */
export const readResult = async (state: JobState, values: Values): Promise<Result<Json>> => {
  const { tenant, job } = state;
  const { template, bind } = resultOf(state);
  if (tenant === undefined || job === undefined) return fail(fault('invalid', 'there is no such job'));
  const found = new Map<string, Json>();
  for (const [text, binding] of Object.entries(bind)) {
    const value = await bindingValue(binding, tenant, job, values);
    if (!value.ok) return fail(faultAt(`result: \${${text}}`, value.fault));
    found.set(text, value.value);
  }
  return ok(render(template, (lookup) => found.get(lookup.text) ?? null));
};
