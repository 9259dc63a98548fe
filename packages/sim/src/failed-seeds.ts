import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Where seeds are kept that have failed once: they are played again with every check, for ever. */
const file = new URL('../../../test/sim/seeds.txt', import.meta.url);

/** Seeds that have failed before, each once; what follows a seed on its line is for people. */
export const failedSeeds = (): readonly number[] => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const seeds = lines.flatMap((line) => /^(\d+)\b/.exec(line)?.[1] ?? []);
  return [...new Set(seeds.map(Number))];
};

/** Keeps a seed, with the first thing that it violated. Outside of a checkout there is no such list, and nothing is kept. */
export const keepSeed = (seed: number, violation: string): boolean => {
  if (!existsSync(file) || failedSeeds().includes(seed)) return false;
  appendFileSync(file, `${seed} ${violation.replaceAll('\n', ' ').slice(0, 200)}\n`);
  return true;
};
