import type { Cause } from '@foldmesh/client';
import { kindOf, limits, partyOf, type Queue, type Type } from '@foldmesh/envelope';
import type { Standing } from '@foldmesh/ports';
import { runtimeLimits } from '@foldmesh/runtime';
import { isAway, type Look } from './look.ts';
import type { Pool } from './pools.ts';
import { agoOf, countOf, inTimeOf, listOf, nearMs } from './spans.ts';

/** Work that was given to a queue and that nobody is known to hold. */
export interface Queued {
  readonly queue: Queue;
  readonly type: Type;
  /** How a sentence about it begins: `task a`. */
  readonly what: string;
  readonly task?: string;
  readonly since: number;
  readonly until?: number | undefined;
  /** What its reader has to offer: `<kind>:<name>`. */
  readonly needs: readonly string[];
}

/** Why it lies there: the first that holds of paused, closed, unreadable, nobody there, no store to claim it in, nobody free. */
export const queueCause = async (look: Look, queued: Queued): Promise<Cause> => {
  const asked = await look.standing(queued.queue);
  if (!asked.ok)
    return {
      ...headOf(queued),
      reason: 'storage',
      on: 'bus',
      text: `${queued.what} is queued, and the bus does not say how its queue stands: ${asked.fault.detail}`,
      next: 'foldmesh doctor',
    };
  const standing = asked.value;
  const pool = look.pools(queued.queue);
  return (
    pausedCause(look, queued, standing) ??
    closedCause(queued, standing) ??
    (queued.queue.service === 'manager'
      ? unreadCause(queued, standing)
      : (buildCause(queued, pool) ??
        absentCause(look, queued, standing, pool) ??
        unclaimedCause(look, queued, standing) ??
        idleCause(queued, standing, pool) ??
        busyCause(queued, standing, pool) ??
        unevenCause(look, queued, standing, pool))) ??
    underWay(look, queued, standing)
  );
};

const headOf = ({ task, since, until }: Queued) => ({
  ...(task !== undefined && { task }),
  since,
  ...(until !== undefined && { until }),
});

/** A manager's pool is a shard, which no process is named after. */
const partyAt = ({ service, pool }: Queue): string =>
  service === 'manager' ? `manager shard ${pool}` : partyOf({ service, pool });

const pausedCause = (
  { now }: Look,
  queued: Queued,
  { paused_until, place, waiting }: Standing,
): Cause | undefined =>
  paused_until === undefined || paused_until <= now
    ? undefined
    : {
        ...headOf(queued),
        reason: 'paused',
        until: paused_until,
        on: place,
        text: `${queued.what} is queued for ${partyAt(queued.queue)}, whose consumer ${place} somebody has paused: it goes on ${inTimeOf(now, paused_until)}; ${countOf(waiting, 'message')} waiting there`,
        next: `nats consumer resume ${place}`,
      };

const closedCause = (queued: Queued, { closed, place }: Standing): Cause | undefined =>
  closed === undefined
    ? undefined
    : {
        ...headOf(queued),
        reason: 'storage',
        on: place,
        text: `${queued.what} is queued for ${partyAt(queued.queue)}, and ${closed}: nothing that is to be sent there can be stored`,
        next: `nats stream info ${place.split(' ')[0]}`,
      };

/** A message of a version that nobody there reads goes back and back, until its deadline. */
const buildCause = (queued: Queued, pool: Pool): Cause | undefined => {
  const { v } = kindOf(queued.type);
  const reads = pool.reads(queued.type);
  if (!pool.isAlive || reads >= v) return undefined;
  const party = partyAt(queued.queue);
  return {
    ...headOf(queued),
    reason: 'build',
    on: party,
    text: `${queued.what} waits for a newer build: this manager writes ${queued.type} in version ${v}, and ${party} reads ${reads === 0 ? 'no such type' : `it up to version ${reads}`}; it is handed back until somebody there can`,
    next: `finish the rollout of ${party}`,
  };
};

/** Nobody was heard lately and nobody asks for messages; or whoever is there has none of the names. */
const absentCause = (look: Look, queued: Queued, { pulls, waiting, in_hand }: Standing, pool: Pool) => {
  const party = partyAt(queued.queue);
  const here: Omit<Cause, 'text'> = { ...headOf(queued), reason: 'no_worker', on: party };
  const needs = queued.needs.map((name) => name.replace(':', ' '));
  if (!pool.isAlive && pulls === 0 && !isAway(look, 'index')) {
    const heard =
      pool.heardAt === undefined ? 'was never heard of' : `was last heard ${agoOf(look.now, pool.heardAt)}`;
    const wanted = needs.length > 0 ? `; it needs ${listOf(needs)}` : '';
    return {
      ...here,
      text: `${queued.what} waits for ${party}, where nobody is: it ${heard}; ${countOf(waiting + in_hand, 'message')} left there${wanted}`,
      next: startOf(queued.queue),
    };
  }
  const lacking = queued.needs.filter((name) => !pool.names.has(name)).map((name) => name.replace(':', ' '));
  if (!pool.isAlive || lacking.length === 0) return undefined;
  return {
    ...here,
    text: `${queued.what} waits for ${party}, where nobody has ${listOf(lacking)} any more: it is handed back until somebody does`,
    next: `${startOf(queued.queue)} that offers ${listOf(lacking)}`,
  };
};

/** Memory has one pool, and one process. */
const startOf = ({ service, pool }: Queue): string =>
  service === 'memory' ? 'start the memory service' : `start a ${service} with FOLDMESH_POOL=${pool}`;

/** What is carried out is claimed first. (Deciders claim nothing.) That the store is away is the job's first cause; this follows. */
const unclaimedCause = (look: Look, queued: Queued, { waiting, in_hand }: Standing): Cause | undefined => {
  if (queued.queue.lane !== 'call' || waiting + in_hand === 0 || !isAway(look, 'inbox')) return undefined;
  const party = partyAt(queued.queue);
  return {
    ...headOf(queued),
    reason: 'call',
    on: party,
    text: `${queued.what} is with ${party}, which begins nothing while the dedup store is away: ${countOf(waiting + in_hand, 'message')} there`,
  };
};

/** Somebody is there, and neither asks for work nor has any: it is not slots that they lack. */
const idleCause = (
  queued: Queued,
  { pulls, waiting, in_hand }: Standing,
  { isAlive }: Pool,
): Cause | undefined => {
  if (!isAlive || pulls > 0 || in_hand > 0 || waiting === 0) return undefined;
  const party = partyAt(queued.queue);
  return {
    ...headOf(queued),
    reason: 'no_worker',
    on: party,
    text: `${queued.what} lies in the queue of ${party}, whose processes take nothing on at the moment: ${countOf(waiting, 'message')} waiting there, none in hand`,
    next: `look at the /readyz and the log of ${party}`,
  };
};

/** Whoever reads it asks for no more: a reader asks for as many as it has free slots. */
const busyCause = (queued: Queued, { pulls, waiting, in_hand }: Standing, { slots }: Pool) => {
  if (pulls > 0 || in_hand === 0) return undefined;
  const { service } = queued.queue;
  const party = partyAt(queued.queue);
  const setting = service === 'worker' ? 'FOLDMESH_WORKER_SLOTS' : 'FOLDMESH_GATEWAY_SLOTS';
  const before = waiting > 1 ? `, at most ${waiting - 1} of them before it` : '';
  return {
    ...headOf(queued),
    reason: 'no_slot' as const,
    on: party,
    text: `${queued.what} waits for a free slot of ${party}: ${in_hand} in hand and ${waiting} waiting${before}; one process there has ${countOf(slots, 'slot')}`,
    next: service === 'memory' ? `raise ${setting}` : `start more of ${party}, or raise ${setting}`,
  };
};

/** Processes of one pool are taken to be alike: what one of them lacks goes back and forth until another one gets it. */
const unevenCause = (
  { now }: Look,
  queued: Queued,
  { waiting, in_hand }: Standing,
  pool: Pool,
): Cause | undefined => {
  const lacked = pool.lackedBySome(queued.needs).map((name) => name.replace(':', ' '));
  if (lacked.length === 0 || waiting + in_hand === 0) return undefined;
  const party = partyAt(queued.queue);
  return {
    ...headOf(queued),
    reason: 'call',
    on: party,
    text: `${queued.what} is with ${party}, asked ${agoOf(now, queued.since)}, and some process there lacks ${listOf(lacked)}: it hands back what it gets of it, until one that has it gets it`,
    next: `give every process of ${party} the same folders, or finish its rollout`,
  };
};

const unreadCause = (queued: Queued, { pulls, waiting }: Standing): Cause | undefined => {
  if (pulls > 0 || waiting === 0) return undefined;
  return {
    ...headOf(queued),
    reason: 'no_worker',
    on: partyAt(queued.queue),
    text: `${queued.what} lies in ${partyAt(queued.queue)}, which no manager reads at the moment: ${countOf(waiting, 'message')} waiting there`,
    next: 'start a manager, or look at the /readyz of those there are',
  };
};

/** Somebody is free to take it: then it comes in a moment, or it was handed back and comes again. */
const underWay = (look: Look, queued: Queued, { waiting, in_hand }: Standing): Cause => {
  const { now } = look;
  const here = { ...headOf(queued), reason: 'call' as const, on: partyAt(queued.queue) };
  const expires =
    queued.until !== undefined && queued.until - now < nearMs
      ? `; it is given up ${inTimeOf(now, queued.until)}`
      : '';
  if (waiting + in_hand > 0)
    return {
      ...here,
      text: `${queued.what} is with ${here.on}, asked ${agoOf(now, queued.since)}, and nobody says to hold it: it is about to be taken, or was handed back and comes again within ${handBackMs / 1_000} s${expires}`,
    };
  const again = queued.since + (Math.floor((now - queued.since) / limits.epochMs) + 1) * limits.epochMs;
  return {
    ...here,
    until: again,
    text: `${queued.what} was asked of ${here.on} ${agoOf(now, queued.since)} and lies in its queue no more: its answer is on the way, or the sweep sends it again ${inTimeOf(now, again)}${expires}`,
  };
};

/** The longest that a hand-back is kept, with its jitter of a quarter. */
const handBackMs = 1.25 * runtimeLimits.handBackMsMax;
