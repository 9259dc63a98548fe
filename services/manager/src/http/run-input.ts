import { type Binding, fail, fault, type Json, ok, type Result } from '@foldmesh/envelope';
import { type Lookup, lookupsIn, render } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import type { RunEventOf } from '@foldmesh/run';
import { bindingValue, walk } from '@foldmesh/runtime';
import type { Api } from './api-call.ts';

type Begun = Pick<RunEventOf<'run-started'>, 'part' | 'bind'>;

/** What a run was given to work on: its template with every lookup replaced. One that leads nowhere stays as it was written. */
export const runInput = async (
  { values }: Pick<Api, 'values'>,
  { tenant, job }: Entity,
  begun: Begun,
): Promise<Result<Json>> => {
  const load = (binding: Binding) => bindingValue(binding, tenant, job, values);
  const found = new Map<string, Json>();
  for (const lookup of lookupsIn(begun.part.input).lookups) {
    const value = await valueAt(lookup, begun, load);
    if (value.ok) found.set(lookup.text, value.value);
    else if (value.fault.kind !== 'invalid') return value;
  }
  return ok(
    render(begun.part.input, ({ text }) => (found.has(text) ? (found.get(text) ?? null) : `\${${text}}`)),
  );
};

const nothing = fail(fault('invalid', 'nothing was handed over for it'));

const valueAt = async (
  lookup: Lookup,
  { part: { item }, bind }: Begun,
  load: (binding: Binding) => Promise<Result<Json>>,
): Promise<Result<Json>> => {
  const bound = Object.hasOwn(bind, lookup.text) ? bind[lookup.text] : undefined;
  if (bound !== undefined) return load(bound);
  if (lookup.of !== 'item' || item === undefined) return nothing;
  const list = await load(item.of);
  if (!list.ok || !Array.isArray(list.value)) return list.ok ? nothing : list;
  const slice: readonly Json[] = list.value.slice(item.from, item.to);
  return walk(ok(item.single ? (slice[0] ?? null) : slice), lookup.path);
};
