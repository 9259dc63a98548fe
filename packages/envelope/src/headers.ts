import { z } from 'zod';
import { fail, fault, ok, type Result } from './fault.ts';
import { Digest, WireId } from './ids.ts';
import { Key } from './key.ts';
import { Party, ReplySubject } from './party.ts';

/** Plain digits only: `Number('')` is 0, and an empty header must not mean the first epoch or the year 1970. */
const digits = z
  .string()
  .regex(/^\d{1,16}$/, 'a whole number in plain digits')
  .transform(Number);

/** All that a host needs to claim, hand back, park or refuse a message whose body it cannot read. Times are milliseconds. */
export const Headers = z.object({
  'Nats-Msg-Id': WireId,
  'Mesh-Key': Key,
  'Mesh-Type': z.string().regex(/^[a-z]+\.[a-z]+$/),
  'Mesh-Attempt': digits.pipe(z.int().positive()),
  'Mesh-Epoch': digits.pipe(z.int().nonnegative()),
  'Mesh-Since': digits.pipe(z.int().nonnegative()),
  'Mesh-Deadline': digits.pipe(z.int().nonnegative()).optional(),
  'Mesh-Print': Digest,
  'Mesh-V': digits.pipe(z.int().positive()),
  'Mesh-From': Party.optional(),
  'Mesh-Reply': ReplySubject.optional(),
  traceparent: z.string().optional(),
});

export interface MeshHeaders {
  readonly id: WireId;
  readonly key: Key;
  /** Perhaps of a type that only a newer version knows. */
  readonly type: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly since: number;
  readonly deadline: number | undefined;
  readonly print: Digest;
  readonly v: number;
  /** The sender, and where it waits for the answer: a refusal goes there. Absent where the sender is older than they are. */
  readonly from: Party | undefined;
  readonly reply: string | undefined;
  readonly traceparent: string | undefined;
}

export type RawHeaders = Readonly<Record<string, string>>;

export const writeHeaders = (headers: MeshHeaders): RawHeaders => ({
  'Nats-Msg-Id': headers.id,
  'Mesh-Key': headers.key,
  'Mesh-Type': headers.type,
  'Mesh-Attempt': String(headers.attempt),
  'Mesh-Epoch': String(headers.epoch),
  'Mesh-Since': String(headers.since),
  ...(headers.deadline === undefined ? {} : { 'Mesh-Deadline': String(headers.deadline) }),
  'Mesh-Print': headers.print,
  'Mesh-V': String(headers.v),
  ...(headers.from === undefined ? {} : { 'Mesh-From': headers.from }),
  ...(headers.reply === undefined ? {} : { 'Mesh-Reply': headers.reply }),
  ...(headers.traceparent === undefined ? {} : { traceparent: headers.traceparent }),
});

export const readHeaders = (raw: RawHeaders): Result<MeshHeaders> => {
  const parsed = Headers.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(
      fault('invalid', `header ${issue?.path.join('.') ?? '?'}: ${issue?.message ?? 'unreadable'}`),
    );
  }
  const { data } = parsed;
  return ok({
    id: data['Nats-Msg-Id'],
    key: data['Mesh-Key'],
    type: data['Mesh-Type'],
    attempt: data['Mesh-Attempt'],
    epoch: data['Mesh-Epoch'],
    since: data['Mesh-Since'],
    deadline: data['Mesh-Deadline'],
    print: data['Mesh-Print'],
    v: data['Mesh-V'],
    from: data['Mesh-From'],
    reply: data['Mesh-Reply'],
    traceparent: data.traceparent,
  });
};
