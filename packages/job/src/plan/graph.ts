/** For each task the ordinals of those it waits for. */
export type Graph = readonly (readonly number[])[];

/** Who waits for each task. */
export const dependentsOf = (graph: Graph): number[][] => {
  const dependents: number[][] = graph.map(() => []);
  graph.forEach((deps, task) => {
    for (const dep of deps) dependents[dep]?.push(task);
  });
  return dependents;
};

/** An order in which every task comes after those it waits for, and what lies on or behind a cycle. */
export const topological = (
  graph: Graph,
): { readonly order: readonly number[]; readonly stuck: readonly number[] } => {
  const dependents = dependentsOf(graph);
  const unmet = graph.map((deps) => deps.length);
  const order = graph.flatMap((deps, task) => (deps.length === 0 ? [task] : []));
  // The order grows while it is walked.
  for (const task of order)
    for (const next of dependents[task] ?? []) {
      const left = (unmet[next] ?? 0) - 1;
      unmet[next] = left;
      if (left === 0) order.push(next);
    }
  return { order, stuck: graph.flatMap((_, task) => ((unmet[task] ?? 0) > 0 ? [task] : [])) };
};

/** One cycle among the stuck tasks, as ordinals in the order in which each waits for the next. */
export const cycleIn = (graph: Graph, stuck: readonly number[]): readonly number[] => {
  const among = new Set(stuck);
  const seen = new Map<number, number>();
  const walk: number[] = [];
  let at = stuck[0];
  while (at !== undefined && !seen.has(at)) {
    seen.set(at, walk.length);
    walk.push(at);
    at = graph[at]?.find((dep) => among.has(dep));
  }
  return at === undefined ? [] : walk.slice(seen.get(at));
};
