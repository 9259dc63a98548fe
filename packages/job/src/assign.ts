import { encodeJson, limits } from '@foldmesh/envelope';
import { itemOf } from './bind.ts';
import { jobLimits } from './job-limits.ts';
import { companyOf } from './plan/plan.ts';
import type { JobState } from './state.ts';
import { costOf, planOf, readyTasks, taskAt } from './tasks.ts';

/** One assignment in the making. */
interface Bundle {
  readonly tasks: number[];
  ms: number;
  bytes: number;
}

/** The assignments that may go out now, as lists of ordinals. The queue of ready work is here, not on the bus. */
export const assignable = (state: JobState): number[][] => {
  if (state.decision === undefined) return [];
  if (!state.decision.split) return state.open.length > 0 ? [] : unsplit(state);
  const room = jobLimits.openAssignmentsMax - state.open.length;
  return room > 0 ? split(state, room) : [];
};

/** Fused chains, small ones bundled with their siblings. */
const split = (state: JobState, room: number): number[][] => {
  const weigh = weigher(state);
  const bundles: Bundle[] = [];
  const filling = new Map<string, Bundle>();
  for (const ordinal of readyTasks(state)) {
    const unit = sum(chainFrom(state, ordinal, weigh), weigh);
    const company = companyOf(planOf(state, ordinal));
    const bundle = filling.get(company);
    if (bundle !== undefined && fits(bundle, unit, jobLimits.bundleMs)) join(bundle, unit);
    else if (bundles.length < room) {
      bundles.push(unit);
      filling.set(company, unit);
    } else break;
  }
  return bundles.map(({ tasks }) => tasks);
};

/** One worker does it all: the longest run of tasks that keep each other company, in an order that respects what they wait for. */
const unsplit = (state: JobState): number[][] => {
  const weigh = weigher(state);
  const queue = [...takeReady(state)];
  const first = queue[0];
  if (first === undefined) return [];
  const company = companyOf(planOf(state, first));
  const sequence: Bundle = { tasks: [], ms: 0, bytes: 0 };
  const unmet = new Map<number, number>();
  for (let at = 0; at < queue.length; at++) {
    const ordinal = queue[at] as number; // at is in range
    if (companyOf(planOf(state, ordinal)) !== company) continue;
    const unit = sum([ordinal], weigh);
    if (sequence.tasks.length > 0 && !fits(sequence, unit, jobLimits.sequenceMs)) break;
    join(sequence, unit);
    for (const { task: waiting } of state.dependents[ordinal] ?? []) {
      const left = (unmet.get(waiting) ?? taskAt(state, waiting).unmet) - 1;
      unmet.set(waiting, left);
      if (
        left === 0 &&
        taskAt(state, waiting).status === 'pending' &&
        planOf(state, waiting).for_each === undefined
      )
        queue.push(waiting);
    }
  }
  return [sequence.tasks];
};

/** Enough of the ready to fill one assignment. */
function* takeReady(state: JobState): Generator<number> {
  let taken = 0;
  for (const ordinal of readyTasks(state)) {
    if (taken++ === limits.assignmentTasksMax) return;
    yield ordinal;
  }
}

/** A task and those behind it as long as each waits for the one before it alone, and nobody else waits for that. */
const chainFrom = (state: JobState, first: number, weigh: Weigh): number[] => {
  const chain = sum([first], weigh);
  const company = companyOf(planOf(state, first));
  for (let last = first; taskAt(state, last).child === undefined; ) {
    const [next, ...others] = state.dependents[last] ?? [];
    if (next === undefined || others.length > 0) break;
    const { status, unmet } = taskAt(state, next.task);
    const plan = planOf(state, next.task);
    if (status !== 'pending' || unmet !== 1 || plan.for_each !== undefined || companyOf(plan) !== company)
      break;
    const unit = sum([next.task], weigh);
    if (!fits(chain, unit, jobLimits.sequenceMs)) break;
    join(chain, unit);
    last = next.task;
  }
  return chain.tasks;
};

type Weigh = (ordinal: number) => { readonly ms: number; readonly bytes: number };

/** Key, names and lookups of one part, beside its template. */
const partBytes = 600;

/** What a task weighs in an assignment; the part that is its plan's is worked out once. */
const weigher = (state: JobState): Weigh => {
  const known = new Map<number, { ms: number; bytes: number }>();
  return (ordinal) => {
    const { plan: of, child } = taskAt(state, ordinal);
    const plan = planOf(state, ordinal);
    const base = known.get(of) ?? {
      // An agent has a journal of its own and keeps nobody company.
      ms: plan.run.kind === 'agent' ? Number.POSITIVE_INFINITY : costOf(state, plan),
      bytes: partBytes + encodeJson([plan.input, plan.run, plan.probes]).length,
    };
    known.set(of, base);
    return child === undefined
      ? base
      : { ms: base.ms, bytes: base.bytes + encodeJson(itemOf(state, ordinal) ?? null).length };
  };
};

const sum = (tasks: number[], weigh: Weigh): Bundle => {
  const weights = tasks.map(weigh);
  return {
    tasks,
    ms: weights.reduce((all, { ms }) => all + ms, 0),
    bytes: weights.reduce((all, { bytes }) => all + bytes, 0),
  };
};

const fits = (bundle: Bundle, unit: Bundle, msMax: number): boolean =>
  bundle.tasks.length + unit.tasks.length <= limits.assignmentTasksMax &&
  bundle.ms + unit.ms <= msMax &&
  bundle.bytes + unit.bytes <= limits.assignmentBytesMax;

const join = (bundle: Bundle, unit: Bundle): void => {
  bundle.tasks.push(...unit.tasks);
  bundle.ms += unit.ms;
  bundle.bytes += unit.bytes;
};
