import { jobLimits } from '../job-limits.ts';
import { dependentsOf, type Graph } from './graph.ts';

export interface Load {
  readonly graph: Graph;
  /** Milliseconds of work per task; of one child for a `for_each`. */
  readonly costs: readonly number[];
  /** Side-by-side tasks that each stands for. */
  readonly weights: readonly number[];
}

/** Everything by one worker, one after the other, in few assignments: milliseconds. */
export const aloneMs = ({ costs, weights }: Load): number =>
  jobLimits.hopMs + costs.reduce((sum, cost, task) => sum + cost * (weights[task] ?? 1), 0);

/**
 * Milliseconds until the last task ends when ready tasks go to `workers` free slots in order, each paying its hop.
 * What is handed over and the merge are hops of the tasks that take them. Greedy list scheduling: never more than
 * twice the best, which is near enough to compare with one worker doing it all.
 */
export const splitMs = ({ graph, costs, weights }: Load, workers: number): number => {
  const dependents = dependentsOf(graph);
  const unmet = graph.map((deps) => deps.length);
  const begins = graph.map(() => 0);
  const slots = heap(Array.from({ length: Math.max(1, workers) }, () => ({ at: 0, task: -1 })));
  const ready = heap(graph.flatMap((deps, task) => (deps.length === 0 ? [{ at: 0, task }] : [])));
  let makespan = 0;
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    let ends = next.at;
    for (let copy = 0; copy < (weights[next.task] ?? 1); copy++) {
      const slot = slots.pop() ?? { at: 0, task: -1 };
      const end = Math.max(slot.at, next.at) + jobLimits.hopMs + (costs[next.task] ?? 0);
      slots.push({ at: end, task: -1 });
      ends = Math.max(ends, end);
    }
    makespan = Math.max(makespan, ends);
    for (const dependent of dependents[next.task] ?? []) {
      const left = (unmet[dependent] ?? 0) - 1;
      unmet[dependent] = left;
      // The one counted last need not be the one that ends last.
      const at = Math.max(begins[dependent] ?? 0, ends);
      begins[dependent] = at;
      if (left === 0) ready.push({ at, task: dependent });
    }
  }
  return makespan;
};

interface Timed {
  readonly at: number;
  readonly task: number;
}

/** A binary heap, earliest first and, at the same time, lowest ordinal first, so that a plan is predicted one way. */
const heap = (items: Timed[]) => {
  const before = (a: Timed, b: Timed) => a.at < b.at || (a.at === b.at && a.task < b.task);
  const all: Timed[] = [];
  const get = (at: number): Timed => all[at] as Timed; // every index below is in range
  const swap = (a: number, b: number) => ([all[a], all[b]] = [get(b), get(a)]);
  const push = (item: Timed): void => {
    all.push(item);
    for (let at = all.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!before(get(at), get(parent))) return;
      swap(at, parent);
      at = parent;
    }
  };
  const pop = (): Timed | undefined => {
    const top = all[0];
    const last = all.pop();
    if (top === undefined || last === undefined || all.length === 0) return top;
    all[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < all.length && before(get(left), get(least))) least = left;
      if (right < all.length && before(get(right), get(least))) least = right;
      if (least === at) return top;
      swap(at, least);
      at = least;
    }
  };
  for (const item of items) push(item);
  return { push, pop };
};
