import type { Cause } from '@foldmesh/client';
import { Defect, type Key, positionOf } from '@foldmesh/envelope';
import type { Effect, Entity } from '@foldmesh/ports';
import { nextOfRun, type RunState, runFold } from '@foldmesh/run';
import { isGone, load } from '@foldmesh/runtime';
import { inFlightCause } from './in-flight.ts';
import type { Look } from './look.ts';
import { type Seen, seen } from './seen.ts';

/** Calls of one run that are each looked for; how many more there are is said. */
const callsMax = 8;

/**
 * What a run waits for, by its own journal; before its first entry its assignment is what waits. `asked`: questions that
 * have reached the job, which says itself what it waits for.
 */
export const runCauses = async (
  look: Look,
  assign: Effect,
  asked: ReadonlySet<Key>,
): Promise<readonly Seen[]> => {
  const read = await readRun(look, assign);
  if (read !== undefined && 'cause' in read) return [seen(read.cause)];
  if (read?.started === undefined || read.attempt < assign.draft.attempt)
    return [seen(await inFlightCause(look, assign))];
  const effects = [...nextOfRun(read)].filter(({ draft }) => !asked.has(draft.key));
  const causes = await Promise.all(effects.slice(0, callsMax).map((effect) => inFlightCause(look, effect)));
  const more = effects.length - callsMax;
  const said = causes.map((cause, at) =>
    seen(more > 0 && at === 0 ? { ...cause, text: `${cause.text} (and ${more} more calls)` } : cause),
  );
  return [...said, ...turnsCause(assign, read)];
};

/** Calls of one turn that wait until others of it have answered. */
const turnsCause = ({ draft }: Effect, { group, started }: RunState): readonly Seen[] => {
  const ready = group?.calls.filter(({ status }) => status === 'ready').length ?? 0;
  if (group === undefined || started === undefined || ready === 0) return [];
  const { task } = positionOf(draft.key);
  return [
    seen({
      task,
      reason: 'concurrency',
      since: group.at,
      on: `agent ${started.agent}`,
      text: `${ready} more calls of agent ${started.agent} (task ${task}) wait for their turn: ${started.parallel} may be under way at once`,
      next: `raise limits.parallel of agent ${started.agent}`,
    }),
  ];
};

/** The run's state, undefined where its journal does not answer, or why nobody here can read it. */
const readRun = async (
  { ports }: Look,
  assign: Effect,
): Promise<RunState | { readonly cause: Cause } | undefined> => {
  const { tenant, job, task, round } = positionOf(assign.draft.key);
  const entity: Entity = { tenant, job, run: { task, round } };
  try {
    const loaded = await load(ports, runFold, entity);
    if (loaded.ok) return loaded.value.state;
    return isGone(loaded.fault) ? { cause: lostRun(assign, loaded.fault.detail) } : undefined;
  } catch (error) {
    if (!(error instanceof Defect)) throw error;
    return { cause: unreadableRun(assign, error.message) };
  }
};

const unreadableRun = ({ draft, asked_at }: Effect, why: string): Cause => {
  const { task } = positionOf(draft.key);
  return {
    task,
    reason: 'build',
    since: asked_at,
    on: `${draft.to.service}.${draft.to.pool}`,
    text: `task ${task} is a run whose journal a newer worker has written, and this manager cannot read it (${why}): what it waits for only a newer one can say`,
    next: 'finish the rollout of the managers',
  };
};

const lostRun = ({ draft, asked_at }: Effect, why: string): Cause => {
  const { task } = positionOf(draft.key);
  return {
    task,
    reason: 'storage',
    since: asked_at,
    on: 'blobs',
    text: `task ${task} is a run whose journal can be read no further (${why}): the task fails with this reason when its worker takes the next turn of it`,
    next: 'nats stream info MESH_BLOBS tells what was deleted there',
  };
};
