import { apiLimits } from '@foldmesh/client';
import { type CommandId, JobId, sha256Hex, type TenantId } from '@foldmesh/envelope';
import type { Random } from '@foldmesh/ports';
import { commandIdOf } from './send-command.ts';

const { keyLengthMax: lengthMax } = apiLimits;

/** A string of Structured Fields: what it quotes is `"` and `\\`, and nothing follows it. */
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * The key of a request: a quoted string as draft 07 of the Idempotency-Key header has it (expired, never an RFC), or the
 * bare text of other APIs. Both forms of one text are one key. What is neither is refused rather than guessed at: a key
 * that reads otherwise the second time is a second job. So a bare one has no comma, which is what two headers are joined by.
 */
export const idempotencyKey = (
  request: Request,
): { readonly key: string | undefined } | { readonly wrong: string } => {
  const header = request.headers.get('idempotency-key')?.trim();
  if (header === undefined) return { key: undefined };
  const key = header.startsWith('"') ? quoted.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') : header;
  if (key === undefined)
    return { wrong: 'an Idempotency-Key in quotes ends with them, and escapes only " and \\' };
  if (key === header && key.includes(','))
    return { wrong: 'one Idempotency-Key is given once; one that has a comma is quoted' };
  return key.length >= 1 && key.length <= lengthMax && /^[\x20-\x7e]+$/.test(key)
    ? { key }
    : { wrong: `an Idempotency-Key has 1 to ${lengthMax} characters of ASCII that can be printed` };
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
