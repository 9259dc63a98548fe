/** How many nodes lie before each of a graph's nodes on its longest way, at most `max`: no deeper chain is followed. */
export const graphDepths = (before: readonly (readonly number[])[], max: number): readonly number[] => {
  let depths = before.map(() => 0);
  for (let round = 0; round < max; round += 1)
    depths = before.map((deps) => deps.reduce((most, dep) => Math.max(most, 1 + (depths[dep] ?? 0)), 0));
  return depths;
};
