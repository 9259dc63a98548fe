import {
  type BlobRef,
  type Carried,
  decodeJson,
  fail,
  type JobId,
  type Json,
  ok,
  type Result,
  type TenantId,
} from '@foldmesh/envelope';
import type { Blobs } from '@foldmesh/ports';
import { blobFault } from './gone.ts';

/** Reads values that travel by reference. One that is gone is a fault of its own (`isGone`). */
export interface Values {
  load(tenant: TenantId, job: JobId, carried: Carried): Promise<Result<Json>>;
}

const cachedBytesDefault = 64 * 1024 * 1024;

/**
 * Parsed blobs, the last used kept: a thousand children of one `for_each` read one list. By tenant, job and digest, so
 * that nobody reads what lies in another job.
 */
export const blobValues = (blobs: Blobs, cachedBytesMax = cachedBytesDefault): Values => {
  const cache = new Map<string, { readonly value: Json; readonly bytes: number }>();
  let total = 0;
  const keep = (name: string, value: Json, bytes: number): void => {
    cache.set(name, { value, bytes });
    total += bytes;
    for (const [oldest, { bytes: freed }] of cache) {
      if (total <= cachedBytesMax || oldest === name) return;
      cache.delete(oldest);
      total -= freed;
    }
  };
  const read = async (tenant: TenantId, job: JobId, ref: BlobRef): Promise<Result<Json>> => {
    const name = `${tenant}/${job}/${ref.digest}`;
    const known = cache.get(name);
    if (known !== undefined) {
      cache.delete(name);
      cache.set(name, known);
      return ok(known.value);
    }
    const bytes = await blobs.get(tenant, job, ref.digest);
    if (!bytes.ok) return fail(blobFault(bytes.fault));
    const value = decodeJson(bytes.value);
    if (!value.ok) return value;
    if (!cache.has(name)) keep(name, frozen(value.value), bytes.value.length);
    return ok(frozen(value.value));
  };
  return {
    load: async (tenant, job, carried) =>
      'ref' in carried ? read(tenant, job, carried.ref) : ok(carried.value),
  };
};

/**
 * The same value, and nobody can change it any more: what one skill did to its input, the next would find in its own.
 * What is frozen has been walked before, so a list that a thousand children share is walked once.
 */
export const frozen = (value: Json): Json => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
};
