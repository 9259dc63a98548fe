import {
  cancelPattern,
  type Draft,
  type Envelope,
  type Fault,
  fail,
  fault,
  type MeshHeaders,
  ok,
  type Queue,
  type Result,
  type TraceId,
  type Type,
  traceIdFrom,
} from '@foldmesh/envelope';
import type { Delivery, Subscription } from '@foldmesh/ports';
import { handBack, handBackUntilDeadline } from './hand-back.ts';
import { holdDelivery } from './heartbeat.ts';
import { openDelivery, park, parkAndAck } from './message.ts';
import { type OpenHands, openHands } from './open-hands.ts';
import { cast, send } from './send.ts';
import type { Host, Part } from './service.ts';
import { type Slot, slots } from './slots.ts';
import { endSpan, processSpan, traceOf, traceparentOf } from './spans.ts';
import { type StoreGate, storeGate } from './store-gate.ts';
import type { InHand } from './work.ts';

/** What a handler host does with a request once it has been worked on. */
export type Verdict =
  /** With `park` the message is set aside as well: then the answer says why. */
  | {
      readonly kind: 'answer';
      readonly draft: Draft;
      readonly park?: { readonly reason: string; readonly strikes: number };
    }
  | { readonly kind: 'hand_back'; readonly delayMs: number | undefined }
  | { readonly kind: 'silent'; readonly ack: boolean };

export interface Answering<T extends Type = Type> {
  readonly type: T;
  work(hand: InHand, envelope: Envelope<T>): Promise<Verdict>;
  /**
   * What the asker is told of a request that was set aside unread, or broke its handler: only its headers are known.
   * Undefined where nobody is to be told; a fault says that this cannot be known now.
   */
  refusal?(headers: MeshHeaders, why: Fault): Told | PromiseLike<Told>;
}
type Told = Result<Draft | undefined>;

/** One queue, and who answers what lies in it. */
export interface AnsweredQueue {
  readonly queue: Queue;
  /** Requests carried out at once. */
  readonly slots: number;
  readonly by: readonly Answering[];
  /** Called when the last request has ended. */
  readonly onEnd?: () => PromiseLike<void>;
}

/** A handler host: one message per free slot, each claimed, carried out, completed, answered, acked. */
export const answers =
  (answered: AnsweredQueue): Part =>
  async (host) => {
    const subscription = await host.ports.bus.subscribe(answered.queue);
    if (!subscription.ok) return fail(subscription.fault);
    const open = openHands();
    const cancels = host.ports.bus.listen(cancelPattern, (_, subject) => open.cancel(subject));
    const gate = storeGate(host);
    host.nursery.go(() => readQueue(gate, answered, subscription.value, cancels, open));
    return ok(undefined);
  };

const readQueue = async (
  { host, heard }: StoreGate,
  answered: AnsweredQueue,
  subscription: Subscription,
  listening: AsyncDisposable,
  open: OpenHands,
): Promise<void> => {
  await using _ = listening;
  await using reading = subscription;
  const all = slots(answered.slots);
  while (!host.intake.aborted) {
    await heard(host.intake);
    const room = await all.room(host.intake);
    if (room === 0) break;
    for (const delivery of await reading.pull(room, host.intake)) {
      const slot = all.take();
      host.nursery.go(async () => {
        try {
          await handle(host, answered, delivery, slot, open);
        } finally {
          slot.release();
        }
      });
    }
  }
  // Still listening for cancels until the last one has ended.
  await all.idle();
  await answered.onEnd?.();
};

const handle = async (
  host: Host,
  answered: AnsweredQueue,
  delivery: Delivery,
  slot: Slot,
  open: OpenHands,
): Promise<void> => {
  // It lay in our own buffer for a whole ack wait: somebody else has it by now.
  if (host.ports.clock.now() - delivery.received_at >= host.settings.ackWaitMs) return;
  const opened = await openDelivery(host.ports, delivery);
  const { headers: known } = opened;
  const answering = answered.by.find(({ type }) => type === known?.type);
  switch (opened.kind) {
    case 'newer':
      return handBackUntilDeadline(host.ports, delivery, () =>
        refuse(host, answering, delivery, unsupported(opened.headers), opened.headers),
      );
    case 'unreachable':
      return handBack(host.ports, delivery);
    case 'bad':
      return refuse(host, answering, delivery, opened.fault, opened.headers);
    case 'open':
      break;
  }
  const { headers, envelope } = opened;
  if (answering === undefined)
    return parkAndAck(host.ports, delivery, `nobody here answers ${envelope.type}`);
  const early = (envelope.not_before ?? 0) - host.ports.clock.now();
  if (early > 0) return handBack(host.ports, delivery, early);
  await using hold = holdDelivery(host.ports, delivery, host.settings.ackWaitMs);
  const { service, pool, lane } = answered.queue;
  const { trace_id, deadline = headers.since } = envelope;
  const span = processSpan(`mesh.v1.{tenant}.work.${service}.${pool}.${lane}`, headers, trace_id);
  const hand: InHand = { host, delivery, headers, hold, slot, span, trace_id, deadline };
  const drain = (): void => hold.abort('draining');
  if (host.work.aborted) drain();
  host.work.addEventListener('abort', drain);
  // An older sender has said who it is, and where it waits, in the body alone.
  const asked = { ...headers, from: envelope.sender, reply: envelope.reply_to };
  open.add(hand);
  try {
    const verdict = await answering.work(hand, envelope);
    await conclude(hand, answering, asked, verdict);
    endSpan(span, verdict.kind === 'answer' && verdict.park !== undefined ? 'parked' : undefined);
  } catch (error) {
    endSpan(span, 'defect');
    const why = fault('invalid', `a handler threw: ${String(error)}`, { source: defectSource });
    // Whoever has it now meets the same, and is heard.
    if (hold.lost())
      host.ports.log('error', 'a handler broke after its hold was lost', { fault: why.detail });
    else await refuse(host, answering, delivery, why, asked);
  } finally {
    open.remove(hand);
    host.work.removeEventListener('abort', drain);
  }
};

/** The source of a fault that says that a handler broke, or answered what no message can carry. */
export const defectSource = 'defect';

const unsupported = ({ type, v }: MeshHeaders): Fault =>
  fault('invalid', `unsupported version: ${type} v${v}, and its deadline has passed`, { source: 'version' });

/** Sets a message aside and tells whoever waits for its answer, so that no work hangs on what nobody will ever do. */
const refuse = async (
  host: Host,
  answering: Answering | undefined,
  delivery: Delivery,
  why: Fault,
  headers: MeshHeaders | undefined,
): Promise<void> => {
  if (headers === undefined || answering?.refusal === undefined)
    return parkAndAck(host.ports, delivery, why.detail);
  if (!(await park(host.ports, delivery, why.detail))) return handBack(host.ports, delivery);
  const refusal = await answering.refusal(headers, why);
  if (!refusal.ok) return handBack(host.ports, delivery);
  if (refusal.value === undefined) return void (await delivery.ack());
  // The body's own is not to be trusted, or not to be read; that of whoever sent it is the job's.
  const trace_id = traceOf(headers.traceparent) ?? traceIdFrom(headers.key);
  const by: Answerer = { host, headers, trace_id, traceparent: headers.traceparent };
  const said = await reply(by, headers.reply, refusal.value);
  if (said.ok) await delivery.ack();
  else await handBack(host.ports, delivery);
};

const conclude = async (
  hand: InHand,
  answering: Answering,
  headers: MeshHeaders,
  verdict: Verdict,
): Promise<void> => {
  const { host, delivery, hold, span, trace_id } = hand;
  switch (verdict.kind) {
    case 'hand_back':
      // Who has lost a hold says nothing more about the message: it may be in other hands.
      if (!hold.lost()) await handBack(host.ports, delivery, host.work.aborted ? 0 : verdict.delayMs);
      return;
    case 'silent':
      if (verdict.ack && !hold.lost()) await delivery.ack();
      return;
    case 'answer': {
      if (verdict.park !== undefined) {
        const { reason, strikes } = verdict.park;
        if (!(await park(host.ports, delivery, reason, strikes))) return handBack(host.ports, delivery);
      }
      const traceparent = traceparentOf(span, trace_id, headers.traceparent);
      const said = await reply({ host, headers, trace_id, traceparent }, headers.reply, verdict.draft);
      if (hold.lost()) return;
      if (said.ok) await delivery.ack();
      else if (isUnsendable(said.fault))
        await refuse(host, answering, delivery, { ...said.fault, source: defectSource }, headers);
      else await handBack(host.ports, delivery);
    }
  }
};

/** It will be so however often it is sent. */
const isUnsendable = ({ kind, retry_after_ms }: Fault): boolean =>
  (kind === 'overflow' || kind === 'invalid') && retry_after_ms === undefined;

interface Answerer {
  readonly host: Host;
  readonly headers: MeshHeaders;
  readonly trace_id: TraceId;
  readonly traceparent: string | undefined;
}

/** Straight to a caller that waits, and nowhere else; else to the entity that asked. */
const reply = async (
  { host, headers, trace_id, traceparent }: Answerer,
  replyTo: string | undefined,
  draft: Draft,
): Promise<Result<unknown>> => {
  const at = host.ports.clock.now();
  const { epoch, id } = headers;
  const stamp = { sender: host.party, at, since: at, epoch, trace_id, traceparent, causation_id: id };
  return replyTo === undefined ? send(host.ports, draft, stamp) : cast(host.ports, replyTo, draft, stamp);
};
