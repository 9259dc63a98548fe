import { fail, fault, ok, type Result, type TenantId } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import { type ApiKey, ApiKeys, hashOf, keyText, type Role, secretBytes } from './api-key.ts';
import { type KeysFile, readKeys, writeKeys } from './keys-file.ts';

export interface NewKey {
  readonly tenant: TenantId;
  readonly role: Role;
  /** How long it can be used, in milliseconds. */
  readonly lifetimeMs: number;
  readonly note?: string;
}

/** A key that has been made, and the text that its holder sends: it is stored nowhere, and cannot be told again. */
export interface MadeKey {
  readonly key: ApiKey;
  readonly text: string;
}

const idBytes = 6;
const dayMs = 86_400_000;
const firstLifetimeMs = 90 * dayMs;

interface Around {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** Adds a key to the file, which is made where there is none. */
export const createKey = (file: KeysFile, wanted: NewKey, around: Around): Promise<Result<MadeKey>> =>
  file.alone(async () => {
    const before = await readKeys(file);
    // Whatever else may be wrong with a file that cannot be opened is told by the write.
    if (!before.ok && before.fault.kind !== 'invalid') return before;
    return addKey(file, before.ok ? before.value : [], wanted, around);
  });

/** For whoever starts a mesh that others can reach before there are keys: the file, with one key that may do all. */
export const firstKey = async (
  file: KeysFile,
  tenant: TenantId,
  around: Around,
): Promise<Result<MadeKey | undefined>> => {
  const isThere = async (): Promise<Result<boolean>> => {
    const read = await readKeys(file);
    return read.ok || read.fault.kind === 'invalid' ? ok(read.ok) : read;
  };
  const there = await isThere();
  // Keys that are there may be a secret that is mounted, in a folder where not even a lock can be made.
  if (!there.ok || there.value) return there.ok ? ok(undefined) : there;
  return file.alone(async () => {
    const still = await isThere();
    if (!still.ok || still.value) return still.ok ? ok(undefined) : still;
    const wanted = { tenant, role: 'admin', lifetimeMs: firstLifetimeMs, note: 'the first key' } as const;
    return addKey(file, [], wanted, around);
  });
};

const addKey = async (
  file: KeysFile,
  before: readonly ApiKey[],
  { tenant, role, lifetimeMs, note }: NewKey,
  { clock, random }: Around,
): Promise<Result<MadeKey>> => {
  const secret = random.hex(secretBytes);
  const created_at = clock.now();
  const key: ApiKey = {
    id: random.hex(idBytes),
    tenant,
    role,
    hash: hashOf(secret),
    expires_at: created_at + lifetimeMs,
    created_at,
    ...(note !== undefined && { note }),
  };
  const checked = ApiKeys.safeParse([...before, key]);
  if (!checked.success) return fail(fault('invalid', checked.error.issues[0]?.message ?? 'no such key'));
  const written = await writeKeys(file, checked.data);
  return written.ok ? ok({ key, text: keyText(key.id, secret) }) : written;
};

/** Takes a key out of the file; says which it was. */
export const revokeKey = async (file: KeysFile, id: string): Promise<Result<ApiKey>> => {
  const known = await keyIn(file, id);
  // Where there is nothing to take away nothing is made, not even a lock.
  return known.ok ? file.alone(() => removeKey(file, id)) : known;
};

const removeKey = async (file: KeysFile, id: string): Promise<Result<ApiKey>> => {
  const found = await keyIn(file, id);
  if (!found.ok) return found;
  const { key, others } = found.value;
  const written = await writeKeys(file, others);
  return written.ok ? ok(key) : written;
};

const keyIn = async (
  file: KeysFile,
  id: string,
): Promise<Result<{ readonly key: ApiKey; readonly others: readonly ApiKey[] }>> => {
  const read = await readKeys(file);
  if (!read.ok) return read;
  const key = read.value.find((one) => one.id === id);
  if (key === undefined) return fail(fault('invalid', `there is no key ${id} in ${file.name}`));
  return ok({ key, others: read.value.filter((one) => one !== key) });
};

const unitMs = { m: 60_000, h: 3_600_000, d: dayMs } as const;

/** Milliseconds of a text like `90d`, `12h` or `30m`; undefined for any other. */
export const lifetimeMs = (text: string): number | undefined => {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs]; // the pattern names them
};
