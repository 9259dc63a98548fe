import {
  type Carried,
  encodeJson,
  fail,
  fault,
  type Json,
  limits,
  ok,
  positionOf,
  type Result,
  soundJson,
} from '@foldmesh/envelope';
import { jobLimits } from '@foldmesh/job';
import type { Held, Made, Stored } from '@foldmesh/ports';
import { type AbortCause, causeOf } from './heartbeat.ts';
import type { Host } from './service.ts';
import type { Done, InHand, Ran, Work } from './work.ts';

/** What a run came to, as the inbox keeps it and the host says it. `started`: an unsafe effect was about to leave. */
export const endClaim = (
  hand: InHand,
  work: Work,
  held: Held,
  ran: Ran,
  started: boolean,
): Promise<Done> | Done => {
  // Who has lost a hold says nothing more.
  if (hand.hold.lost()) return { kind: 'silent', ack: false };
  const extra = ran.extra === undefined ? {} : { extra: ran.extra };
  switch (ran.kind) {
    case 'not_begun':
      return giveBack(hand, held, 0);
    case 'unknown':
      return complete(hand, work, held, { outcome: { kind: 'unknown', open: ran.open }, ...extra });
    case 'paused': {
      const { kind, question, schema } = ran;
      const outcome = { kind, question, ...(schema !== undefined && { schema }) };
      return complete(hand, work, held, { outcome, ...extra });
    }
    case 'failed':
      return endFailed(hand, work, held, ran, started, extra);
    case 'done':
      return endDone(hand, work, held, ran.output, started, extra);
  }
};

type Extra = Pick<Stored, 'extra'>;

const endFailed = (
  hand: InHand,
  work: Work,
  held: Held,
  { fault: failure, made }: Extract<Ran, { kind: 'failed' }>,
  started: boolean,
  extra: Extra,
): Promise<Done> => {
  const cause: AbortCause | undefined = causeOf(hand.hold.signal);
  if (started && (failure.kind === 'unanswered' || cause !== undefined))
    return complete(hand, work, held, { ...unknownOf(work, failure.detail), ...extra });
  if (cause === 'cancelled') return complete(hand, work, held, { outcome: { kind: 'cancelled' }, ...extra });
  if (cause === 'draining') return giveBack(hand, held, 0);
  const { clock } = hand.host.ports;
  const wait = failure.retry_after_ms;
  const stored: Stored = { outcome: { kind: 'failed', fault: failure }, ...extra };
  if (wait === undefined || made === 'last_try') return complete(hand, work, held, stored);
  const tookNothing = failure.kind === 'throttled' || failure.kind === 'unavailable';
  // A long wait is the host's, not the handler's: the message goes back until its turn.
  if (made !== 'given_up' && tookNothing && wait > longWaitMs && clock.now() + wait < hand.deadline)
    return giveBack(
      hand,
      held,
      wait,
      made === 'try' ? { fault: failure, until: clock.now() + wait } : 'nothing',
    );
  return releaseTry(hand, held, stored);
};

/** Above this a retry is a hand-back with the time when its turn is. */
const longWaitMs = 2_000;

const endDone = async (
  hand: InHand,
  work: Work,
  held: Held,
  output: Json,
  started: boolean,
  extra: Extra,
): Promise<Done> => {
  const placed = await carried(hand.host, work, output);
  if (placed.ok)
    return complete(hand, work, held, { outcome: { kind: 'done', output: placed.value }, ...extra });
  // What has left and cannot be undone has happened, also where its result cannot be kept.
  if (started) return complete(hand, work, held, { ...unknownOf(work, placed.fault.detail), ...extra });
  if (placed.fault.kind === 'overflow')
    return complete(hand, work, held, { outcome: { kind: 'failed', fault: placed.fault }, ...extra });
  return giveBack(hand, held, undefined);
};

export const unknownOf = ({ label }: Work, detail: string): Stored => ({
  outcome: { kind: 'unknown', open: { call: label, detail } },
});

/** Gives the claim up, by default without having tried; a lost one is somebody else's, and then nothing is said. */
export const giveBack = async (
  { host }: InHand,
  held: Held,
  delayMs: number | undefined,
  made: Made = 'nothing',
): Promise<Done> => {
  const grip = await host.ports.inbox.release(held, made);
  return grip.ok && grip.value === 'lost' ? { kind: 'silent', ack: false } : { kind: 'hand_back', delayMs };
};

/** It may succeed another time, so it is not remembered as done; that a try was made is. */
const releaseTry = async ({ host }: InHand, held: Held, stored: Stored): Promise<Done> => {
  const grip = await host.ports.inbox.release(held, 'try');
  return grip.ok && grip.value !== 'lost'
    ? { kind: 'settled', stored, strikes: 0 }
    : { kind: 'silent', ack: false };
};

/**
 * Not recorded, not said: a copy then runs again what may be run again, and the rest is unknown. So it is tried for as
 * long as the hold is ours; the heartbeat meets the same store and gives the hold up when it stays away.
 */
export const complete = async (
  { host, hold, deadline }: InHand,
  work: Work,
  held: Held,
  stored: Stored,
): Promise<Done> => {
  const { inbox, clock } = host.ports;
  for (;;) {
    const grip = await inbox.complete(
      held,
      stored,
      keepUntil(work, clock.now(), deadline) + host.settings.ackWaitMs,
    );
    if (grip.ok)
      return grip.value === 'lost' ? { kind: 'silent', ack: false } : { kind: 'settled', stored, strikes: 0 };
    if (hold.lost()) return { kind: 'silent', ack: false };
    if (grip.fault.retry_after_ms === undefined || clock.now() > deadline)
      return { kind: 'hand_back', delayMs: undefined };
    await clock.sleep(grip.fault.retry_after_ms);
  }
};

/**
 * Copies of a request end at its deadline. But another attempt of a task answers from what an earlier one did, so what
 * may not happen twice is remembered for as long as a job can last.
 */
const keepUntil = ({ unsafe }: Work, now: number, deadline: number): number =>
  unsafe ? Math.max(deadline, now + jobLimits.wallMsMax) : deadline;

const carried = async ({ ports }: Host, work: Work, given: Json): Promise<Result<Carried>> => {
  // It happened, whatever it says of it: what no message can carry must not lose the rest.
  const output = soundJson(given);
  const bytes = encodeJson(output);
  if (bytes.length > limits.bodyBytesMax)
    return fail(
      fault('overflow', `the result has ${bytes.length} bytes, the limit is ${limits.bodyBytesMax}`),
    );
  if (isDeeper(output, outputNestingMax))
    return fail(fault('overflow', `the result is nested deeper than ${outputNestingMax}`));
  if (bytes.length <= work.inlineBytesMax) return ok({ value: output });
  const { tenant, job } = positionOf(work.key);
  const put = await ports.blobs.put(tenant, job, bytes);
  return put.ok ? ok({ ref: put.value }) : put;
};

/** What is stored travels inside other things, which are held to `limits.nestingMax` as a whole. */
const outputNestingMax = limits.nestingMax - 16;

const isDeeper = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1));
};
