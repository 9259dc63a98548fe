import { isJsonObject, type Json } from '@foldmesh/envelope';
import { type JobState, jobWakesAt, taskEnded, taskIdOf, waitOf } from '@foldmesh/job';
import { runEnded } from '@foldmesh/run';
import type { SeenJob } from './observed.ts';

/**
 * M10: whatever is not terminal is leased, or has a wait whose wake-up exists. A message that nobody has acked is a lease:
 * whoever holds it, or gets it next, takes the turn again. Without one the index must say when somebody has to look.
 */
export const wakesUp = (job: SeenJob): readonly string[] => {
  const { name, state, indexed, unacked, isLost } = job;
  if (unacked > 0 || isLost) return [];
  if (state.status === undefined) return runsAlone(job);
  if (state.ended_at !== undefined) return [...lateIndex(name, indexed), ...runsAlone(job)];
  return [...asleep(name, state, indexed), ...reasonless(name, state), ...runsAlone(job)];
};

const fieldOf = (indexed: Json | undefined, field: string): Json | undefined =>
  isJsonObject(indexed) ? indexed[field] : undefined;

/** What has ended asks for nothing, but whoever looks must find that it has; a sweep of what it shows open mends it. */
const lateIndex = (name: string, indexed: Json | undefined): readonly string[] =>
  fieldOf(indexed, 'ended') === true ||
  fieldOf(indexed, 'asked_at') !== undefined ||
  fieldOf(indexed, 'wake_at') !== undefined
    ? []
    : [`${name} has ended, and nothing will ever tell the index`];

/** Nobody holds it, so time alone brings it on: its timer, or the sweep that sends again what is outstanding. */
const asleep = (name: string, state: JobState, indexed: Json | undefined): readonly string[] => {
  if (fieldOf(indexed, 'asked_at') !== undefined) return [];
  const due = jobWakesAt(state);
  const wakesAt = fieldOf(indexed, 'wake_at');
  if (typeof wakesAt === 'number' && (due === undefined || wakesAt <= due)) return [];
  return [`${name} is ${state.status}, nobody holds anything of it, and nothing wakes it`];
};

const reasonless = (name: string, state: JobState): readonly string[] =>
  state.tasks.flatMap(({ status }, ordinal) => {
    if (taskEnded(status)) return [];
    const wait = waitOf(state, ordinal);
    const id = taskIdOf(state, ordinal);
    if (wait === undefined) return [`${name}: ${id} is ${status} and does not say what it waits for`];
    if (wait.reason === 'dependency' && wait.on === undefined)
      return [`${name}: ${id} waits for a task, and for none`];
    if (status === 'ready' && state.open.length === 0 && state.stopping === undefined)
      return [`${name}: ${id} waits for its turn, and nothing is out that could give it one`];
    return [];
  });

/** A run is brought on by its job, which sends the assignment again for as long as it is out. */
const runsAlone = ({ name, state, runs }: SeenJob): readonly string[] =>
  [...runs].flatMap(([task, run]) => {
    if (runEnded(run.state.status) || run.state.started === undefined) return [];
    const held = state.tasks.some(
      (one, ordinal) => one.held !== undefined && taskIdOf(state, ordinal) === task,
    );
    return held && state.ended_at === undefined
      ? []
      : [`the run of ${task} is ${run.state.status}, and its job ${name} does not wait for it`];
  });
