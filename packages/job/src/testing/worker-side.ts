import {
  type Binding,
  type BlobRef,
  type Carried,
  digestOf,
  encodeJson,
  type ItemSlice,
  invariant,
  type Json,
  type Key,
  limits,
  type Probed,
  positionOf,
  type TaskAssign,
  type TaskPart,
} from '@foldmesh/envelope';
import { type Lookup, readPath, render } from '../lookups.ts';

/** The values that lie outside the job's state, by digest: what a worker's blob store is. */
export type Shelf = Map<string, Json>;

/** A value as a settle carries it: inline when it is small, else by reference. */
export const carry = (value: Json, shelf: Shelf): Carried => {
  const bytes = encodeJson(value);
  if (bytes.length <= limits.resultBytesInlineMax) return { value };
  const ref: BlobRef = { digest: digestOf(bytes), bytes: bytes.length };
  shelf.set(ref.digest, value);
  return { ref };
};

export const uncarry = (carried: Carried, shelf: Shelf): Json => {
  if ('value' in carried) return carried.value;
  const value = shelf.get(carried.ref.digest);
  invariant(value !== undefined, `no blob ${carried.ref.digest}`);
  return value;
};

/** What a binding stands for, or what is missing there. */
export const bound = (binding: Binding, shelf: Shelf): ReturnType<typeof readPath> => {
  const whole =
    'list' in binding
      ? binding.list.map((one) => (one === null ? null : uncarry(one, shelf)))
      : uncarry(binding, shelf);
  return readPath(whole, binding.path ?? []);
};

export const itemFrom = ({ of, from, to, single }: ItemSlice, shelf: Shelf): Json => {
  const found = bound(of, shelf);
  invariant('value' in found && Array.isArray(found.value), 'an item comes from a list');
  const slice = found.value.slice(from, to);
  return single ? (slice[0] ?? null) : slice;
};

/** A part's input with every lookup replaced as a worker does it, or the first that leads nowhere. */
export const inputOf = (
  part: TaskPart,
  { bind = {} }: TaskAssign,
  made: ReadonlyMap<string, Json>,
  shelf: Shelf,
): { readonly input: Json } | { readonly missing: string } => {
  let missing: string | undefined;
  const valueAt = (lookup: Lookup): Json => {
    const found = lookedUp(part, lookup, bind[lookup.text], made, shelf);
    if ('value' in found) return found.value;
    missing ??= `\${${lookup.text}}: ${found.missing}`;
    return null;
  };
  const input = render(part.input, valueAt);
  return missing === undefined ? { input } : { missing };
};

const lookedUp = (
  part: TaskPart,
  lookup: Lookup,
  binding: Binding | undefined,
  made: ReadonlyMap<string, Json>,
  shelf: Shelf,
): ReturnType<typeof readPath> => {
  if (lookup.of === 'item') {
    invariant(part.item !== undefined, 'a part that speaks of its item has one');
    return readPath(itemFrom(part.item, shelf), lookup.path);
  }
  const here = lookup.of === 'output' ? made.get(lookup.task) : undefined;
  if (here !== undefined) return readPath(here, lookup.path);
  invariant(binding !== undefined, `nothing is bound to ${lookup.text}`);
  return bound(binding, shelf);
};

/** What others will want to know of an output. */
export const probesOf = ({ probes }: TaskPart, output: Json): { readonly probed?: Probed[] } =>
  probes === undefined ? {} : { probed: probes.map((path): Probed => probed(readPath(output, path))) };

const probed = (found: ReturnType<typeof readPath>): Probed => {
  if ('missing' in found) return { missing: found.missing };
  return { length: Array.isArray(found.value) ? found.value.length : null };
};

/** `audit~3`, as a test names it. */
export const taskOf = (key: Key): string => positionOf(key).task;
