import {
  deadSubject,
  decodeJson,
  encodeJson,
  fail,
  fault,
  firstIssue,
  type JobId,
  LetterElsewhere,
  ok,
  type Result,
  StoredLetter,
  type TenantId,
  type WireId,
} from '@foldmesh/envelope';
import type { Blobs, DeadLetter, DeadLetters } from '@foldmesh/ports';
import { asking, type Connection } from './connection.ts';
import { isThere, notYet } from './leader-read.ts';
import { listStream } from './list-stream.ts';
import { ownBytes } from './own-bytes.ts';
import { store } from './publish.ts';
import { streamNames } from './streams.ts';

const source = 'nats-dead-letters';

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
  const elsewhere = LetterElsewhere.safeParse(first.value).data;
  const [, , tenant = '', , job = ''] = subject.split('.');
  const bytes =
    elsewhere === undefined ? ok(data) : await blobs.get(tenant as TenantId, job as JobId, elsewhere.blob); // tokens of a subject
  if (!bytes.ok) return bytes;
  const whole = decodeJson(bytes.value, Number.POSITIVE_INFINITY);
  if (!whole.ok) return whole;
  const parsed = StoredLetter.safeParse(whole.value);
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
