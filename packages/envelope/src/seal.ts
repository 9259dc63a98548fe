import { catalogue, kindOf } from './catalogue.ts';
import { encodeFields, encodeJson, encodeText } from './codec.ts';
import type { Draft, Sealed } from './envelope.ts';
import { fingerprint } from './fingerprint.ts';
import { digestOf, type Instant, type TraceId, type WireId, wireIdOf } from './ids.ts';
import { limits } from './limits.ts';
import { type Party, partyOf } from './party.ts';
import { workSubject } from './subject.ts';

/** What a host adds to a draft at the moment of sending. */
export interface Stamp {
  readonly sender: Party;
  readonly at: Instant;
  /** When this position was first sent; equals `at` at epoch 0. */
  readonly since: Instant;
  readonly epoch: number;
  readonly trace_id: TraceId;
  readonly traceparent?: string | undefined;
  readonly causation_id?: WireId | undefined;
}

/** A sealed message, and the payload that must lie in the blob store before it is sent (the claim check). */
export interface Seal {
  readonly message: Sealed;
  readonly claim?: Uint8Array;
}

/** Turns a draft into the message a bus carries. The same draft and epoch always get the same wire id. */
export const seal = (draft: Draft, stamp: Stamp): Seal => {
  const { v } = catalogue[draft.type];
  const lane = draft.lane ?? kindOf(draft.type).lane;
  const id = wireIdOf(draft.type, draft.key, draft.attempt, stamp.epoch);
  const deadline = draft.deadline ?? (kindOf(draft.type).request ? stamp.at + limits.requestMs : undefined);
  const outer = {
    id,
    type: draft.type,
    v,
    sender: stamp.sender,
    receiver: partyOf(draft.to),
    trace_id: stamp.trace_id,
    idempotency_key: draft.key,
    causation_id: stamp.causation_id,
    reply_to: draft.reply_to,
    created_at: stamp.at,
    deadline,
  };
  const payload = JSON.stringify(draft.payload);
  const claim = claimOf(payload);
  return {
    message: {
      subject: workSubject(draft.type, draft.to, draft.key, draft.attempt, lane),
      queue: { ...draft.to, lane },
      headers: {
        id,
        key: draft.key,
        type: draft.type,
        attempt: draft.attempt,
        epoch: stamp.epoch,
        since: stamp.since,
        deadline,
        print: fingerprint(draft.type, draft.payload),
        v,
        from: stamp.sender,
        reply: draft.reply_to,
        traceparent: stamp.traceparent,
      },
      body: claim
        ? encodeJson({ ...outer, payload_ref: { digest: digestOf(claim), bytes: claim.length } })
        : encodeFields(outer, { payload }),
    },
    ...(claim && { claim }),
  };
};

/** The payload's bytes where they are too many to travel. A character has at most three. */
const claimOf = (payload: string): Uint8Array | undefined => {
  if (3 * payload.length <= limits.inlineBytesMax) return undefined;
  const bytes = encodeText(payload);
  return bytes.length > limits.inlineBytesMax ? bytes : undefined;
};
