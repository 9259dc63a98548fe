import {
  type Draft,
  fail,
  ok,
  positionOf,
  type Result,
  type Sealed,
  type Stamp,
  seal,
} from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';

/** Stamps, puts a payload that is too large into the blob store first, and publishes. `ok` means stored. */
export const send = async (
  ports: Ports,
  draft: Draft,
  stamp: Stamp,
): Promise<Result<{ readonly duplicate: boolean }>> => {
  const sealed = await sealedWithClaim(ports, draft, stamp);
  return sealed.ok ? ports.bus.publish(sealed.value) : sealed;
};

/** The same for an answer that goes straight to a waiting caller and may be lost. */
export const cast = async (ports: Ports, subject: string, draft: Draft, stamp: Stamp): Promise<void> => {
  const sealed = await sealedWithClaim(ports, draft, stamp);
  if (sealed.ok) ports.bus.cast(subject, sealed.value.body);
};

const sealedWithClaim = async ({ blobs }: Ports, draft: Draft, stamp: Stamp): Promise<Result<Sealed>> => {
  const { message, claim } = seal(draft, stamp);
  if (claim === undefined) return ok(message);
  const { tenant, job } = positionOf(draft.key);
  const put = await blobs.put(tenant, job, claim);
  return put.ok ? ok(message) : fail(put.fault);
};
