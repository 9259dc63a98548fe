import { type InvariantName, invariantNames } from './judge.ts';
import { type Outcome, type Simulation, simulate } from './simulate.ts';

/** What many seeds came to together. */
export interface Total {
  seeds: number;
  steps: number;
  faults: number;
  deaths: number;
  repeats: number;
  violations: number;
  /** How many things each invariant was held against: one of which nothing was seen has said nothing. */
  readonly looked: Record<InvariantName, number>;
  readonly endings: Record<string, number>;
}

/** Every so many seeds the history is made twice and compared (M9). */
const twiceEvery = 20;

export interface SeedRange {
  readonly first: number;
  readonly count: number;
  readonly bend?: Simulation['bend'];
  /** Hears of each seed, also of those in which all is well. */
  readonly onSeed?: (outcome: Outcome) => void;
  /** No further seed once one came to this. */
  readonly until?: (outcome: Outcome) => boolean;
}

/** Plays one seed after the other, in this process. */
export const runSeeds = async (range: SeedRange): Promise<Total> => {
  const total: Total = {
    seeds: 0,
    steps: 0,
    faults: 0,
    deaths: 0,
    repeats: 0,
    violations: 0,
    looked: { M1: 0, M2: 0, M4: 0, M8: 0, M9: 0 },
    endings: {},
  };
  for (let seed = range.first; seed < range.first + range.count; seed++) {
    const outcome = await playSeed(
      { seed, ...(range.bend !== undefined && { bend: range.bend }) },
      seed % twiceEvery === 0,
    );
    add(total, outcome);
    range.onSeed?.(outcome);
    if (range.until?.(outcome) === true) break;
  }
  return total;
};

/** One seed, and once more where the two histories are to be compared. */
const playSeed = async (simulation: Simulation, twice: boolean): Promise<Outcome> => {
  const outcome = await simulate(simulation);
  if (!twice) return outcome;
  const again = await simulate(simulation);
  const looked = { ...outcome.looked, M9: outcome.looked.M9 + 1 };
  if (again.hash === outcome.hash) return { ...outcome, looked };
  const at = outcome.history.findIndex((line, index) => line !== again.history[index]);
  const wrong = `M9: the same seed made two histories; they part at line ${at + 1}: ${outcome.history[at]} / ${again.history[at]}`;
  return {
    ...outcome,
    looked,
    violations: [...outcome.violations, wrong],
    history: outcome.history.slice(0, at + 1),
  };
};

const add = (total: Total, outcome: Outcome): void => {
  total.seeds += 1;
  total.steps += outcome.steps;
  total.faults += faultsOf(outcome);
  total.deaths += outcome.deaths;
  total.repeats += outcome.repeats;
  total.violations += outcome.violations.length;
  for (const name of invariantNames) total.looked[name] += outcome.looked[name];
  for (const ending of outcome.endings) total.endings[ending] = (total.endings[ending] ?? 0) + 1;
};

/** What was injected, deaths included. */
export const faultsOf = ({ faults, deaths }: Outcome): number =>
  Object.values(faults).reduce((sum, count) => sum + count, deaths);

/** Invariants that a whole run has never looked at: then it has shown nothing of them. */
export const unseen = ({ looked }: Total): readonly InvariantName[] =>
  invariantNames.filter((name) => looked[name] === 0);
