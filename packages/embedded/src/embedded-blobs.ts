import { type Digest, digestOf, fail, fault, type JobId, ok, type TenantId } from '@foldmesh/envelope';
import type { Blobs } from '@foldmesh/ports';
import { type EmbeddedWorld, portCall, type Stand, standOf } from './stand.ts';

/** Blobs in memory, whose bytes are checked against their name each time they are handed out. */
export const embeddedBlobs = (world: EmbeddedWorld): Blobs => blobsOn(standOf(world)).port;

const source = 'embedded-blobs';

export interface BlobStore {
  readonly port: Blobs;
  /** Changes the first byte of a stored blob, as a bad disk does. */
  spoil(tenant: TenantId, job: JobId, digest: Digest): void;
  /** Deletes a stored blob, as an operator can; the same bytes may be put again. */
  lose(tenant: TenantId, job: JobId, digest: Digest): void;
}

export const blobsOn = (stand: Stand): BlobStore => {
  const call = portCall(stand, source);
  const blobs = new Map<string, Uint8Array>();
  const invalid = (what: string) => fail(fault('invalid', what, { source }));
  return {
    port: {
      put: (tenant, job, bytes) => {
        const copy = bytes.slice();
        return call(() => {
          const digest = digestOf(copy);
          const name = nameOf(tenant, job, digest);
          if (!blobs.has(name)) {
            blobs.set(name, copy);
            stand.watch.kept(digest, copy);
          }
          return ok({ digest, bytes: copy.length });
        });
      },
      get: (tenant, job, digest) =>
        call(() => {
          const bytes = blobs.get(nameOf(tenant, job, digest));
          if (bytes === undefined) return invalid(`job ${job} has no blob ${digest}`);
          if (digestOf(bytes) !== digest) return invalid(`the bytes of blob ${digest} have another digest`);
          return ok(bytes.slice());
        }),
    },
    spoil: (tenant, job, digest) => {
      const bytes = blobs.get(nameOf(tenant, job, digest));
      if (bytes) bytes[0] = ((bytes[0] ?? 0) + 1) & 0xff;
    },
    lose: (tenant, job, digest) => void blobs.delete(nameOf(tenant, job, digest)),
  };
};

const nameOf = (tenant: TenantId, job: JobId, digest: Digest): string => `${tenant}/${job}/${digest}`;
