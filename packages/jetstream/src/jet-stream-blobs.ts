import {
  type BlobRef,
  blobSubject,
  type Digest,
  digestOf,
  fail,
  fault,
  type JobId,
  joinBytes,
  ok,
  type Result,
  type TenantId,
} from '@foldmesh/envelope';
import type { Blobs } from '@foldmesh/ports';
import { MsgHdrsImpl } from '@nats-io/transport-node';
import { asking, type Connection } from './connection.ts';
import { isThere, lastOn, notYet } from './leader-read.ts';
import { ownBytes } from './own-bytes.ts';
import { store } from './publish.ts';
import { streamNames } from './streams.ts';

const source = 'nats-blobs';

/**
 * Well below what a server takes by default, so that a stream may be moved between servers. It never changes: parts of
 * another length would not fit those of a writer that died half-way.
 */
const partBytes = 512 * 1024;
const partsHeader = 'Mesh-Parts';

/**
 * Content as plain messages, in parts where it is large. The first part is stored last and says how many there are: once it
 * is there all of them are, and a writer that died half-way has left nothing that looks like a blob.
 */
export const jetStreamBlobs = (connection: Connection): Blobs => {
  const ask = asking(connection, source);
  return {
    put: (tenant, job, given) => {
      const bytes = ownBytes(given);
      return ask(() => put(connection, tenant, job, bytes));
    },
    get: (tenant, job, digest) => ask(() => get(connection, tenant, job, digest)),
  };
};

const put = async (
  connection: Connection,
  tenant: TenantId,
  job: JobId,
  bytes: Uint8Array,
): Promise<Result<BlobRef>> => {
  const digest = digestOf(bytes);
  const parts = Math.max(1, Math.ceil(bytes.length / partBytes));
  for (let part = parts - 1; part >= 0; part--) {
    const subject = blobSubject(tenant, job, digest, part);
    const stored = await store(connection, {
      subject,
      body: bytes.subarray(part * partBytes, (part + 1) * partBytes),
      // Of the same digest there is the same content: whoever comes second is done.
      expected: 0,
      ...(part === 0 && { headers: { [partsHeader]: String(parts) } }),
    });
    if (!stored.ok) return stored;
    if (stored.value.kind === 'full')
      return fail(fault('unavailable', stored.value.detail, { source, retry_after_ms: 1_000 }));
    if (stored.value.kind === 'conflict' && !(await isThere(connection, streamNames.blobs, subject)))
      return fail(notYet(subject, source));
  }
  return ok({ digest, bytes: bytes.length });
};

const get = async (
  connection: Connection,
  tenant: TenantId,
  job: JobId,
  digest: Digest,
): Promise<Result<Uint8Array>> => {
  const invalid = (what: string) => fail(fault('invalid', what, { source }));
  const first = await lastOn(connection, streamNames.blobs, blobSubject(tenant, job, digest));
  if (first === null) return invalid(`job ${job} has no blob ${digest}`);
  const parts: Uint8Array[] = [first.data];
  const count = Number(MsgHdrsImpl.decode(first.headers).get(partsHeader) || 1);
  for (let part = 1; part < count; part++) {
    const more = await lastOn(connection, streamNames.blobs, blobSubject(tenant, job, digest, part));
    if (more === null) return invalid(`part ${part} of blob ${digest} is missing`);
    parts.push(more.data);
  }
  const bytes = joinBytes(parts);
  return digestOf(bytes) === digest ? ok(bytes) : invalid(`the bytes of blob ${digest} have another digest`);
};
