import type {
  Digest,
  Fault,
  Instant,
  Json,
  Key,
  MeshHeaders,
  OpenCall,
  Result,
  TraceId,
  Type,
} from '@foldmesh/envelope';
import type { Delivery, Stored } from '@foldmesh/ports';
import type { Span } from '@opentelemetry/api';
import type { Call } from './call.ts';
import type { Hold } from './heartbeat.ts';
import type { Host } from './service.ts';
import type { Slot } from './slots.ts';

/** A delivery being worked on. */
export interface InHand {
  readonly host: Host;
  readonly delivery: Delivery;
  readonly headers: MeshHeaders;
  readonly hold: Hold;
  readonly slot: Slot;
  readonly span: Span;
  readonly trace_id: TraceId;
  readonly deadline: Instant;
}

/** One piece of work that is claimed under its own key. */
export interface Work {
  readonly type: Type;
  readonly key: Key;
  readonly print: Digest;
  readonly attempt: number;
  /** For people: what is asked. */
  readonly label: string;
  /** Never tried again once it was started and no answer came. */
  readonly unsafe: boolean;
  /** A result above this many bytes goes to the blob store. */
  readonly inlineBytesMax: number;
}

/** What came of it. */
export type Done =
  /** With strikes it is one too many: a dead letter as well. */
  | { readonly kind: 'settled'; readonly stored: Stored; readonly strikes: number }
  /** To be tried again by somebody, after so many milliseconds (undefined: the usual). */
  | { readonly kind: 'hand_back'; readonly delayMs: number | undefined }
  /** Somebody else has it, or nobody wants it any more. */
  | { readonly kind: 'silent'; readonly ack: boolean }
  | { readonly kind: 'reused'; readonly label: string };

/** What a failed run was among the tries that one question may have. */
export type Made = 'try' | 'given_up' | 'last_try';

/** What a run came to; `extra` is stored with it and said again with every copy of the answer. */
export type Ran = { readonly extra?: Json } & (
  | { readonly kind: 'done'; readonly output: Json }
  /**
   * Where its fault says later than the host waits for, the message goes back, as if nothing had been tried. `try`: what goes
   * back is counted as one. `given_up`: it does not go back, and may be tried anew by whoever asks again. `last_try`: it does
   * not go back and is remembered, even where it says that it may be asked again.
   */
  | { readonly kind: 'failed'; readonly fault: Fault; readonly made?: Made }
  | { readonly kind: 'unknown'; readonly open: OpenCall }
  /** Waits for a person, whose answer will be the output. */
  | { readonly kind: 'paused'; readonly question: string; readonly schema?: Json }
  /** Its turn did not come: the claim is given back as it was. */
  | { readonly kind: 'not_begun' }
);
export type Run = (call: Call) => Promise<Ran>;

/** Whether the caller's journal still waits for this work. */
export type Standing =
  /** `mark` reads the dedup store's generation as it was when the work was first asked; undefined if it was not known. */
  | { readonly kind: 'open'; readonly mark: () => Promise<Result<string | undefined>> }
  | { readonly kind: 'answered' };
