import {
  type JobState,
  jobLimits,
  planOf,
  taskAt,
  taskEnded,
  taskIdOf,
  type Wait,
  waitChain,
  waitOf,
} from '@foldmesh/job';
import type { Look } from './look.ts';
import { examplesMax, type Seen, seen } from './seen.ts';
import { agoOf, inTimeOf } from './spans.ts';

/** What each task waits for that is neither out nor behind another task: the job's own state says it. */
export const taskCauses = (look: Look, state: JobState): readonly Seen[] =>
  state.tasks.flatMap(({ status }, ordinal): readonly Seen[] => {
    const wait = taskEnded(status) ? undefined : waitOf(state, ordinal);
    switch (wait?.reason) {
      case 'retry':
        return [retryCause(look, state, ordinal)];
      case 'answer':
        return answerCauses(look, state, ordinal);
      case 'no_slot':
      case 'concurrency':
        return [status === 'ready' ? readyCause(state, ordinal, wait) : childCause(state, ordinal, wait)];
      default:
        return [];
    }
  });

/** Of one kind, and thus alike, is what the same thing failed for. */
const retryCause = ({ now }: Look, state: JobState, ordinal: number): Seen => {
  const { attempt, due = now, fault, ended_at = state.accepted_at } = taskAt(state, ordinal);
  const { attempts, run } = planOf(state, ordinal);
  const task = taskIdOf(state, ordinal);
  const last = fault === undefined ? '' : `: the last one ended with ${fault.kind}: ${fault.detail}`;
  return {
    like: `retry ${run.kind} ${run.name} ${fault?.kind}`,
    cause: {
      task,
      reason: 'retry',
      since: ended_at,
      until: due,
      on: task,
      text: `task ${task} is tried again ${inTimeOf(now, due)}, attempt ${attempt} of at most ${attempts}${last}`,
    },
  };
};

const answerCauses = ({ now }: Look, state: JobState, ordinal: number): readonly Seen[] => {
  const task = taskIdOf(state, ordinal);
  return state.asks
    .filter((ask) => ask.task === ordinal && ask.answer === undefined)
    .map(({ request, question, at }) =>
      seen({
        task,
        reason: 'answer',
        since: at,
        on: request,
        text: `task ${task} asked a person ${agoOf(now, at)}: ${question}; the job's time stands still until somebody answers`,
        next: `foldmesh answer ${state.job} ${request} <value>, or POST /v1/jobs/${state.job}/inputs/${request} {"value": …}`,
      }),
    );
};

/** It could go out, and the job gives out no more at present. */
const readyCause = (state: JobState, ordinal: number, wait: Wait): Seen => {
  const task = taskIdOf(state, ordinal);
  const here = { task, ...wait, on: wait.on ?? 'job' };
  if (wait.reason === 'no_slot')
    return seen({
      ...here,
      text: `task ${task} waits for its turn: the job is not split, one worker does its tasks one after the other`,
      next: 'submit it with split: always, if its tasks may run side by side',
    });
  return seen({
    ...here,
    text: `task ${task} waits for its turn: ${state.open.length} assignments of the job are out, and ${jobLimits.openAssignmentsMax} may be`,
  });
};

const childCause = (state: JobState, ordinal: number, wait: Wait): Seen => {
  const task = taskIdOf(state, ordinal);
  const { id, for_each } = planOf(state, ordinal);
  return seen({
    task,
    ...wait,
    on: id,
    text: `task ${task} waits for its turn: ${for_each?.concurrency} children of ${id} may be under way at once, and are`,
    next: `raise concurrency of ${id} in the job`,
  });
};

/** Links of a chain that are named. */
const linksMax = 10;

/** What tasks behind others wait for in the end, and by which way the first of them does. */
export const behindCause = (state: JobState, behind: readonly number[], root: Seen | undefined): Seen => {
  const [first = 0] = behind;
  const chain = waitChain(state, first);
  const named = chain.length > linksMax ? [...chain.slice(0, linksMax - 1), ...chain.slice(-1)] : chain;
  const ids = named.map((ordinal) => taskIdOf(state, ordinal));
  const [task = '', ...others] = ids;
  const on = others.at(-1) ?? task;
  const more = behind.length > 1 ? ` (and ${behind.length - 1} more wait for the same)` : '';
  return seen({
    task,
    reason: 'dependency',
    since: state.accepted_at,
    on,
    chain: ids,
    text: `task ${task} waits for ${others.join(', which waits for ')}${more}${root === undefined ? '' : `: ${root.cause.text}`}`,
    ...(root?.cause.next !== undefined && { next: root.cause.next }),
    ...(behind.length > 1 && {
      count: behind.length,
      examples: behind.slice(0, examplesMax).map((ordinal) => taskIdOf(state, ordinal)),
    }),
  });
};
