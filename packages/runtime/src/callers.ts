import { type Fault, fail, type Key, ok, positionOf, type Result } from '@foldmesh/envelope';
import { isAgentTask, jobFold, standingOf } from '@foldmesh/job';
import type { Entity, Ports } from '@foldmesh/ports';
import { runFold, runStandingOf } from '@foldmesh/run';
import { load, readEntry } from './entity-log.ts';
import { isGone } from './gone.ts';
import type { InHand, Standing } from './work.ts';

/** Reads the job's journal: does it still wait for this work, and which mark did the dedup store have when it was asked? */
export const jobStanding = async (hand: InHand, key: Key, attempt: number): Promise<Result<Standing>> => {
  const { ports } = hand.host;
  const { tenant, job } = positionOf(key);
  const entity: Entity = { tenant, job };
  const loaded = await load(ports, jobFold, entity);
  if (!loaded.ok) return nobodyOr(loaded.fault);
  const standing = standingOf(loaded.value.state, key, attempt);
  if (standing.kind === 'answered') return ok(standing);
  return ok({ kind: 'open', mark: () => markAt(ports, entity, standing.asked, loaded.value.seq) });
};

/** The same for a call, which a skill has made in the name of its job, or an agent in that of its run. */
export const callerStanding = async (hand: InHand, key: Key, attempt: number): Promise<Result<Standing>> => {
  const { ports } = hand.host;
  const { tenant, job, task, round } = positionOf(key);
  const asJob = await load(ports, jobFold, { tenant, job });
  if (!asJob.ok) return nobodyOr(asJob.fault);
  if (!isAgentTask(asJob.value.state, key)) return jobStanding(hand, key, attempt);
  const entity: Entity = { tenant, job, run: { task, round } };
  const loaded = await load(ports, runFold, entity);
  if (!loaded.ok) return nobodyOr(loaded.fault);
  const standing = runStandingOf(loaded.value.state, key, attempt);
  if (standing.kind === 'answered') return ok(standing);
  return ok({ kind: 'open', mark: () => markAt(ports, entity, standing.asked, loaded.value.seq) });
};

/** Whoever has lost part of its journal waits for nothing any more. */
const nobodyOr = (failure: Fault): Result<Standing> =>
  isGone(failure) ? ok({ kind: 'answered' }) : fail(failure);

/** The mark in the entry that holds the event with this ordinal: the last that begins at it or before. Halves the journal. */
const markAt = async (
  { journal }: Pick<Ports, 'journal'>,
  entity: Entity,
  ordinal: number,
  last: number,
): Promise<Result<string | undefined>> => {
  let [low, high] = [1, last];
  let mark: string | undefined;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const read = await journal.read(entity, middle, 1);
    if (!read.ok) return fail(read.fault);
    const [found] = read.value;
    const entry = found === undefined || found.seq > high ? undefined : readEntry(found);
    if (found === undefined || entry === undefined || entry.first > ordinal) high = middle - 1;
    else {
      mark = entry.mark;
      low = found.seq + 1;
    }
  }
  return ok(mark);
};
