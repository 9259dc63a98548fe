import type { z } from 'zod';
import { isType, type Kind, kindOf, type Type } from './catalogue.ts';
import { decodeJson } from './codec.ts';
import { type Envelope, EnvelopeBody } from './envelope.ts';
import { fail, fault, ok, type Result } from './fault.ts';
import { fingerprint } from './fingerprint.ts';
import type { MeshHeaders } from './headers.ts';
import { TraceId, traceIdFrom, wireIdOf } from './ids.ts';
import type { Json } from './json.ts';
import { liftWith } from './lift.ts';
import { limits } from './limits.ts';
import type { BlobRef } from './outcome.ts';

/** The body of a message, its payload still a reference if it was too large to travel. */
export interface Outer {
  readonly body: z.infer<typeof EnvelopeBody>;
  readonly claim: BlobRef | undefined;
}

/** A newer version of this type than we read: to be handed back untouched. An unknown type is invalid instead. */
export const isNewer = (headers: MeshHeaders): boolean =>
  isType(headers.type) && headers.v > kindOf(headers.type).v;

/** Checks all of a message but its payload; a fault names the field. */
export const openOuter = (headers: MeshHeaders, bytes: Uint8Array): Result<Outer> => {
  const decoded = decodeJson(bytes, limits.inlineBytesMax + limits.assignmentBytesMax);
  if (!decoded.ok) return decoded;
  const parsed = EnvelopeBody.safeParse(decoded.value);
  if (!parsed.success) return fail(fault('invalid', `envelope: ${firstIssue(parsed.error)}`));
  const body = parsed.data;
  const differs = (what: string) =>
    fail(fault('invalid', `envelope: ${what} differs between header and body`));
  if (body.idempotency_key !== headers.key) return differs('idempotency_key');
  if (body.type !== headers.type) return differs('type');
  if (body.v !== headers.v) return differs('v');
  if (body.id !== headers.id) return differs('id');
  if (body.deadline !== headers.deadline) return differs('deadline');
  // An older sender wrote neither of these; one that is there says what the body says.
  if (headers.from !== undefined && body.sender !== headers.from) return differs('sender');
  if (headers.reply !== undefined && body.reply_to !== headers.reply) return differs('reply_to');
  if (headers.id !== wireIdOf(headers.type, headers.key, headers.attempt, headers.epoch))
    return fail(fault('invalid', 'envelope: id is not the wire id of its type, key, attempt and epoch'));
  if ((body.payload === undefined) === (body.payload_ref === undefined))
    return fail(fault('invalid', 'envelope: exactly one of payload and payload_ref must be there'));
  if (isType(body.type) && kindOf(body.type).request && body.deadline === undefined)
    return fail(fault('invalid', `envelope: deadline is missing, and ${body.type} is a request`));
  return ok({ body, claim: body.payload_ref });
};

/** Lifts and checks the payload, and that it is the one whose fingerprint the header names. */
export const openPayload = (headers: MeshHeaders, outer: Outer, claimed?: Json): Result<Envelope> => {
  const { type } = outer.body;
  if (!isType(type)) return fail(fault('invalid', `envelope: no type ${type}`));
  return openAs(kindOf(type), type, headers, outer, claimed);
};

/** The same by what the mesh would know of a type, were it `kind`. */
export const openAs = (
  kind: Kind,
  type: Type,
  headers: MeshHeaders,
  { body }: Outer,
  claimed?: Json,
): Result<Envelope> => {
  const { v, trace_id, payload, payload_ref: _, ...rest } = body;
  const parsed = kind.payload.safeParse(liftWith(kind, v, claimed ?? payload));
  if (!parsed.success) return fail(fault('invalid', `${type} payload: ${firstIssue(parsed.error)}`));
  if (fingerprint(type, claimed ?? payload) !== headers.print)
    return fail(fault('invalid', `${type}: the payload is not the one whose fingerprint the header names`));
  const envelope = {
    ...rest,
    type,
    v: kind.v,
    payload: parsed.data,
    // A malformed trace id is not worth losing work for: the envelope gets a trace of its own.
    trace_id: TraceId.safeParse(trace_id).data ?? traceIdFrom(headers.key),
    attempt: headers.attempt,
    epoch: headers.epoch,
  };
  return ok(envelope as unknown as Envelope); // the catalogue ties `payload` to `type`, which the compiler cannot follow
};

/** Field and complaint of the first thing wrong, and how many more there are. */
export const firstIssue = (error: z.ZodError): string => {
  const [issue] = error.issues;
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  return `${issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue?.message ?? 'invalid'}${more}`;
};
