import { type Coverage, count } from './coverage.ts';
import { type InvariantName, invariantNames, type Looked, lookedAtNothing } from './invariants.ts';
import { calm, plotOf } from './plot.ts';
import { sameEnd } from './same-end.ts';
import { BrokenStory, type Outcome, type Simulation, simulate } from './simulate.ts';

/** What many seeds came to together. */
export interface Total {
  seeds: number;
  steps: number;
  faults: number;
  deaths: number;
  repeats: number;
  violations: number;
  /** How many things each invariant was held against: one of which nothing was seen has said nothing. */
  readonly looked: Looked;
  /** Jobs by how they ended. */
  readonly endings: Record<string, number>;
  /** Jobs that were compared with what they come to where nothing goes wrong. */
  compared: number;
  readonly coverage: Coverage;
}

export const nothingYet = (): Total => ({
  seeds: 0,
  steps: 0,
  faults: 0,
  deaths: 0,
  repeats: 0,
  violations: 0,
  looked: lookedAtNothing(),
  endings: {},
  compared: 0,
  coverage: new Map(),
});

/** Every so many seeds the history is made twice and compared (M9), and others are compared with a calm one. */
const twiceEvery = 20;
const calmEvery = 5;

export interface SeedRange {
  readonly first: number;
  readonly count: number;
  readonly eachStep?: boolean;
  readonly hasty?: boolean;
  readonly bend?: Simulation['bend'];
  /** Hears of each seed, also of those in which all is well. */
  readonly onSeed?: (outcome: Outcome) => void;
  /** No further seed once one came to this. */
  readonly until?: (outcome: Outcome) => boolean;
}

/** Plays one seed after the other, in this process. */
export const runSeeds = async (range: SeedRange): Promise<Total> => {
  const total = nothingYet();
  for (let seed = range.first; seed < range.first + range.count; seed++) {
    const simulation = { seed, told: false, eachStep: range.eachStep ?? false, hasty: range.hasty ?? false };
    const outcome = await playWhole(
      { ...simulation, ...(range.bend !== undefined && { bend: range.bend }) },
      total,
    );
    addOutcome(total, outcome);
    range.onSeed?.(outcome);
    if (range.until?.(outcome) === true) break;
  }
  return total;
};

/** A story that breaks off is one that failed: the others are played all the same. */
const playWhole = async (story: Simulation, total: Total): Promise<Outcome> => {
  try {
    return await playSeed(story, total);
  } catch (error) {
    return brokenOff(story.seed, error);
  }
};

const brokenOff = (seed: number, error: unknown): Outcome => ({
  seed,
  violations: [
    ...(error instanceof BrokenStory ? error.found : []),
    `M1: the story breaks off: ${error instanceof Error ? error.message : String(error)}`,
  ],
  looked: lookedAtNothing(),
  history: [],
  hash: '',
  steps: 0,
  faults: 0,
  deaths: 0,
  repeats: 0,
  coverage: new Map(),
  jobs: [],
});

/** One seed, and once more where two histories are to be compared. */
const playSeed = async (story: Simulation, total: Total): Promise<Outcome> => {
  if (story.seed % twiceEvery === 0) return playTwice(story);
  const outcome = await simulate(story);
  if (story.seed % calmEvery !== 1) return outcome;
  const undisturbed = await simulate({ ...story, plot: calm(plotOf(story.seed)) });
  total.compared += outcome.jobs.length;
  const apart = sameEnd(outcome.jobs, undisturbed.jobs).map((one) => `END: ${one}`);
  return { ...outcome, violations: [...outcome.violations, ...undisturbed.violations, ...apart] };
};

const playTwice = async (story: Simulation): Promise<Outcome> => {
  const outcome = await simulate({ ...story, told: true });
  const again = await simulate({ ...story, told: true });
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

const addOutcome = (total: Total, outcome: Outcome): void => {
  total.seeds += 1;
  total.steps += outcome.steps;
  total.faults += outcome.faults;
  total.deaths += outcome.deaths;
  total.repeats += outcome.repeats;
  total.violations += outcome.violations.length;
  for (const name of invariantNames) total.looked[name] += outcome.looked[name];
  for (const { record } of outcome.jobs) {
    const ending = `${record.status} ${record.end_reason ?? ''}`.trim();
    total.endings[ending] = (total.endings[ending] ?? 0) + 1;
  }
  for (const [what, times] of outcome.coverage) count(total.coverage, what, times);
};

/** Adds what another process has come to. */
export const addTotal = (total: Total, more: Total): void => {
  for (const field of ['seeds', 'steps', 'faults', 'deaths', 'repeats', 'violations', 'compared'] as const)
    total[field] += more[field];
  for (const name of invariantNames) total.looked[name] += more.looked[name];
  for (const [ending, times] of Object.entries(more.endings))
    total.endings[ending] = (total.endings[ending] ?? 0) + times;
  for (const [what, times] of more.coverage) count(total.coverage, what, times);
};

/** Invariants that a whole run has never looked at: then it has shown nothing of them. */
export const unseen = ({ looked }: Total): readonly InvariantName[] =>
  invariantNames.filter((name) => looked[name] === 0);
