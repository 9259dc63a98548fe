import {
  type Draft,
  fail,
  ok,
  positionOf,
  type Result,
  type Sealed,
  type Stamp,
  sealFit,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';

/**
 * Stamps, puts a payload that is too large into the blob store first, and publishes. `ok` means stored; `overflow` or
 * `invalid` without a time to come again, that nobody could read it: then nothing was sent.
 */
export const send = async (
  ports: Ports,
  draft: Draft,
  stamp: Stamp,
): Promise<Result<{ readonly duplicate: boolean }>> => {
  const sealed = await sealedWithClaim(ports, draft, stamp);
  return sealed.ok ? ports.bus.publish(sealed.value) : sealed;
};

/** The same for an answer that goes straight to a waiting caller: `ok` means said, and it may be lost. */
export const cast = async (
  ports: Ports,
  subject: string,
  draft: Draft,
  stamp: Stamp,
): Promise<Result<void>> => {
  const sealed = await sealedWithClaim(ports, draft, stamp);
  if (!sealed.ok) return sealed;
  ports.bus.cast(subject, sealed.value.body);
  return ok(undefined);
};

const sealedWithClaim = async ({ blobs }: Ports, draft: Draft, stamp: Stamp): Promise<Result<Sealed>> => {
  const fit = sealFit(draft, stamp);
  if (!fit.ok) return fit;
  const { message, claim } = fit.value;
  if (claim === undefined) return ok(message);
  const { tenant, job } = positionOf(draft.key);
  const put = await blobs.put(tenant, job, claim);
  return put.ok ? ok(message) : fail(put.fault);
};
