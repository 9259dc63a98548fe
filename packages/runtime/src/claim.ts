import { type Fault, fault, positionOf, type Result } from '@foldmesh/envelope';
import { expiredSource } from '@foldmesh/job';
import type { Claim, Held } from '@foldmesh/ports';
import type { Call } from './call.ts';
import { complete, endClaim, giveBack, unknownOf } from './claim-endings.ts';
import { runtimeLimits } from './settings.ts';
import type { Done, InHand, Ran, Run, Standing, Work } from './work.ts';

/**
 * Claim, carry out, complete: each piece of work once (M2). Whatever ends it says which of two things holds: an outcome
 * that is stored and answers every copy, or that nothing may be said here.
 */
export const carryOut = async (
  hand: InHand,
  work: Work,
  standing: () => Promise<Result<Standing>>,
  run: Run,
): Promise<Done> => {
  const { host, hold } = hand;
  if (host.ports.clock.now() >= hand.deadline) return tooLate(hand, work);
  for (let isAlone = false; ; isAlone = true) {
    const claimed = await host.ports.inbox.claim({
      type: work.type,
      key: work.key,
      print: work.print,
      owner: `${host.instance}/${host.ports.random.hex(8)}`,
      leaseMs: host.settings.ackWaitMs,
      label: work.label,
    });
    if (!claimed.ok) return { kind: 'hand_back', delayMs: undefined };
    const claim = claimed.value;
    if (claim.kind !== 'won') return refusedClaim(work, claim);
    const held: Held = { type: work.type, key: work.key, token: claim.token };
    hold.carry(held);
    try {
      // A record in this life of the store says nothing of what an unsafe effect did in an earlier one.
      const forgotten =
        (claim.fresh && !isFresh(hand)) || (work.unsafe && !isFirst(hand))
          ? await askJournal(hand, work, held, standing)
          : undefined;
      if (forgotten !== undefined) return forgotten;
      if (isAlone || claim.strikes < host.settings.aloneFromStrikes)
        return await runClaimed(hand, work, held, claim, run);
      const given = await giveBack(hand, held, undefined);
      if (given.kind !== 'hand_back') return given;
    } finally {
      hold.drop(held);
    }
    // It waits without a claim: what kills this process meanwhile is somebody else, and that is no strike of this one.
    await hand.slot.alone();
    if (hold.lost()) return { kind: 'silent', ack: false };
  }
};

/** Past its deadline nothing runs; what is known of it is said. */
const tooLate = async (hand: InHand, work: Work): Promise<Done> => {
  const peeked = await hand.host.ports.inbox.peek(work);
  if (!peeked.ok) return { kind: 'hand_back', delayMs: undefined };
  if (peeked.value === undefined) return expired(hand);
  const { print, label, stored } = peeked.value;
  if (print !== work.print) return { kind: 'reused', label };
  if (stored !== undefined) return { kind: 'settled', stored, strikes: 0 };
  if (!work.unsafe) return expired(hand);
  const detail = 'it was begun, and had not ended at its deadline';
  return { kind: 'settled', stored: unknownOf(work, detail), strikes: 0 };
};

/** Nobody can have seen it before. */
export const isFresh = ({ delivery, headers }: InHand): boolean =>
  !delivery.redelivered && headers.epoch === 0;

/**
 * And nobody can have published it before: whoever repeats what a crash cut off does so under the same wire id, and the
 * stream drops that only for as long as its duplicate window. By a clock that is far off nothing can be said.
 */
const isFirst = (hand: InHand): boolean => {
  const ageMs = hand.host.ports.clock.now() - hand.headers.since;
  return isFresh(hand) && ageMs < firstMsMax && ageMs > -runtimeLimits.skewMsMax;
};

/** Well below the duplicate window of 20 s, so that clocks may differ. Milliseconds. */
const firstMsMax = 5_000;

const refusedClaim = (work: Work, claim: Exclude<Claim, { kind: 'won' }>): Done => {
  switch (claim.kind) {
    case 'held':
      return { kind: 'hand_back', delayMs: claim.leaseLeftMs };
    case 'settled':
      return { kind: 'settled', stored: claim.outcome, strikes: 0 };
    case 'reused':
      return { kind: 'reused', label: claim.label };
    case 'halted':
      return { kind: 'settled', stored: { outcome: { kind: 'cancelled' } }, strikes: 0 };
    case 'struck': {
      const detail = `${work.label}: struck out, ${claim.strikes} tries ended without a word`;
      const failure = fault('unanswered', detail, { source: 'strikes' });
      return {
        kind: 'settled',
        stored: { outcome: { kind: 'failed', fault: failure } },
        strikes: claim.strikes,
      };
    }
  }
};

/**
 * The store has nothing of an envelope that is not fresh: it may have forgotten. The caller's journal holds the intent;
 * an unsafe effect runs only if the store is the very one that knew when it was first asked.
 */
const askJournal = async (
  hand: InHand,
  work: Work,
  held: Held,
  standing: () => Promise<Result<Standing>>,
): Promise<Done | undefined> => {
  const { inbox } = hand.host.ports;
  const stands = await standing();
  if (!stands.ok) return giveBack(hand, held, undefined);
  if (stands.value.kind === 'answered') {
    await inbox.release(held, 'nothing');
    // A caller that waits here and now is at work on what its job has given up, and would keep others from it until its deadline.
    return hand.headers.reply === undefined ? { kind: 'silent', ack: true } : givenUp;
  }
  if (!work.unsafe) return undefined;
  const [then, now] = [await stands.value.mark(), await inbox.generation()];
  if (!then.ok || !now.ok) return giveBack(hand, held, undefined);
  if (then.value === now.value) return undefined;
  const detail = `the dedup store has forgotten whether ${work.key} ran`;
  return complete(hand, work, held, unknownOf(work, detail));
};

const givenUp: Done = {
  kind: 'settled',
  stored: {
    outcome: {
      kind: 'failed',
      fault: fault('unanswered', 'the attempt that asks this has been given up', {
        source: 'given_up',
        retry_after_ms: 0,
      }),
    },
  },
  strikes: 0,
};

const runClaimed = async (
  hand: InHand,
  work: Work,
  held: Held,
  claim: Extract<Claim, { kind: 'won' }>,
  run: Run,
): Promise<Done> => {
  const { host, hold, headers } = hand;
  let started = false;
  const { tenant, job } = positionOf(work.key);
  const call: Call = {
    tenant,
    job,
    key: work.key,
    attempt: work.attempt,
    strikes: claim.strikes,
    tries: claim.tries,
    since: headers.since,
    deadline: hand.deadline,
    again: claim.strikes + claim.tries > 0 || work.attempt > 1 || !isFresh(hand),
    signal: hold.signal,
    trace_id: hand.trace_id,
    span: hand.span,
    async start() {
      const grip = await host.ports.inbox.start(held);
      if (!grip.ok) return grip;
      if (grip.value === 'held') started = true;
      else hold.abort(grip.value === 'lost' ? 'lost' : 'cancelled');
      return grip;
    },
  };
  // To be alone it may have waited long: past its deadline nothing runs, and nothing is stored that another attempt would meet.
  if (host.ports.clock.now() >= hand.deadline) {
    const given = await giveBack(hand, held, undefined);
    return given.kind === 'hand_back' ? expired(hand) : given;
  }
  const ran: Ran = hold.signal.aborted ? { kind: 'failed', fault: stopped } : await run(call);
  return endClaim(hand, work, held, ran, started);
};

const stopped: Fault = fault('unanswered', 'stopped before it began');

/** Nothing was run here; where it is not fresh, an earlier try may have. */
const expired = (hand: InHand): Done => {
  const detail = `past its deadline (${hand.headers.deadline})`;
  const why = fault(isFresh(hand) ? 'unavailable' : 'unanswered', detail, { source: expiredSource });
  return { kind: 'settled', stored: { outcome: { kind: 'failed', fault: why } }, strikes: 0 };
};
