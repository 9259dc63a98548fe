import {
  Digest,
  deadSubject,
  decodeJson,
  encodeJson,
  fail,
  fault,
  firstIssue,
  type JobId,
  type Key,
  ok,
  type Result,
  type TenantId,
  WireId,
} from '@foldmesh/envelope';
import type { Blobs, DeadLetter, DeadLetters } from '@foldmesh/ports';
import { z } from 'zod';
import { asking, type Connection } from './connection.ts';
import { isThere, notYet } from './leader-read.ts';
import { listStream } from './list-stream.ts';
import { ownBytes } from './own-bytes.ts';
import { store } from './publish.ts';
import { streamNames } from './streams.ts';

const source = 'nats-dead-letters';

/** A letter as it is stored: JSON for whoever reads the stream by other means, the dead body in base64. */
const Letter = z.object({
  id: WireId,
  tenant: z.string(),
  job: z.string(),
  /** As the sender wrote it, which may be no key. */
  key: z.custom<Key>((value) => typeof value === 'string').optional(),
  subject: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.base64(),
  reason: z.string(),
  strikes: z.int().nonnegative(),
  first_at: z.number(),
  last_at: z.number(),
});

/** In the place of a letter that is too large for a message, which is what made some of them unreadable. */
const Elsewhere = z.object({ blob: Digest });

/** Base64 and the words around it are more than the message that died. */
const letterBytesMax = 768 * 1024;

/** Dead letters, the first of each id: they are appended with an expected sequence of 0. */
export const jetStreamDead = (connection: Connection, blobs: Blobs): DeadLetters => {
  const ask = asking(connection, source);
  return {
    put: (letter) => {
      const bytes = encodeJson({ ...letter, body: Buffer.from(letter.body).toString('base64') });
      const subject = deadSubject(letter.tenant, letter.job, letter.id);
      return ask(async () => {
        const body = await inlineOf(blobs, letter, bytes);
        if (!body.ok) return body;
        const stored = await store(connection, { subject, body: body.value, expected: 0 });
        if (!stored.ok) return stored;
        if (stored.value.kind === 'conflict' && !(await isThere(connection, streamNames.dead, subject)))
          return fail(notYet(subject, source));
        if (stored.value.kind !== 'full') return ok(undefined);
        return fail(fault('unavailable', stored.value.detail, { source, retry_after_ms: 1_000 }));
      });
    },
    list: (tenant = '*', job = '*') =>
      ask(async () => {
        const messages = await listStream(connection, streamNames.dead, deadSubject(tenant, job, '*'), 'all');
        const letters: DeadLetter[] = [];
        for (const { subject, data } of messages) {
          const letter = await letterOf(blobs, subject, data);
          if (!letter.ok && letter.fault.kind !== 'invalid') return letter;
          letters.push(letter.ok ? letter.value : unreadableLetter(subject, data, letter.fault.detail));
        }
        return ok(letters);
      }),
  };
};

const inlineOf = async (
  blobs: Blobs,
  { tenant, job }: DeadLetter,
  bytes: Uint8Array,
): Promise<Result<Uint8Array>> => {
  if (bytes.length <= letterBytesMax) return ok(bytes);
  const put = await blobs.put(tenant as TenantId, job as JobId, bytes); // tokens of the subject that it came by
  return put.ok ? ok(encodeJson({ blob: put.value.digest })) : put;
};

const letterOf = async (blobs: Blobs, subject: string, data: Uint8Array): Promise<Result<DeadLetter>> => {
  const first = decodeJson(data);
  if (!first.ok) return first;
  const elsewhere = Elsewhere.safeParse(first.value).data;
  const [, , tenant = '', , job = ''] = subject.split('.');
  const bytes =
    elsewhere === undefined ? ok(data) : await blobs.get(tenant as TenantId, job as JobId, elsewhere.blob); // tokens of a subject
  if (!bytes.ok) return bytes;
  const whole = decodeJson(bytes.value, Number.POSITIVE_INFINITY);
  if (!whole.ok) return whole;
  const parsed = Letter.safeParse(whole.value);
  if (!parsed.success) return fail(fault('invalid', firstIssue(parsed.error), { source }));
  const { body, key, ...letter } = parsed.data;
  return ok({ ...letter, key, body: new Uint8Array(Buffer.from(body, 'base64')) });
};

/** One that nobody can read hides neither itself nor the others. */
const unreadableLetter = (subject: string, body: Uint8Array, why: string): DeadLetter => {
  const [, , tenant = '', , job = '', id = ''] = subject.split('.');
  return {
    id: id as WireId, // a token of a subject
    tenant,
    job,
    key: undefined,
    subject,
    headers: {},
    body: ownBytes(body),
    reason: `this dead letter cannot be read: ${why}`,
    strikes: 0,
    first_at: 0,
    last_at: 0,
  };
};
