import { type CommandId, JobId, sha256Hex, type TenantId } from '@foldmesh/envelope';
import type { Random } from '@foldmesh/ports';
import { commandIdOf } from './send-command.ts';

const lengthMax = 255;

/**
 * The key of a request: a quoted string as draft 07 of the Idempotency-Key header has it (expired, never an RFC), or the
 * bare text of other APIs. Both forms of one text are one key.
 */
export const idempotencyKey = (
  request: Request,
): { readonly key: string | undefined } | { readonly wrong: string } => {
  const header = request.headers.get('idempotency-key')?.trim();
  if (header === undefined) return { key: undefined };
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? header;
  return key.length >= 1 && key.length <= lengthMax && /^[\x20-\x7e]+$/.test(key)
    ? { key }
    : { wrong: `an Idempotency-Key has 1 to ${lengthMax} visible characters` };
};

/** With a key the job's id is a hash of tenant, route and key: its first entry is the lock, on every replica and after a restart. */
export const jobIdentity = (
  tenant: TenantId,
  key: string | undefined,
  random: Random,
): { readonly job: JobId; readonly id: CommandId } => {
  const hash =
    key === undefined
      ? random.hex(16)
      : sha256Hex(JSON.stringify(['POST /v1/jobs', tenant, key])).slice(0, 32);
  // A command of its own each time: one that was turned away must not be taken for a copy when it is sent again.
  return { job: JobId.parse(`j-${hash}`), id: commandIdOf('job.submit', random.hex(16)) };
};
