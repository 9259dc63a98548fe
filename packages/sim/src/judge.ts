import { effectsOnce } from './effects-once.ts';
import type { Evidence, Verdict } from './evidence.ts';
import { type InvariantName, type Looked, lookedAtNothing } from './invariants.ts';
import { nothingLeft } from './nothing-left.ts';
import { oneEnding } from './one-ending.ts';
import { replayAgrees } from './replay-agrees.ts';
import { struckOut } from './struck-out.ts';
import { tasksAddUp } from './tasks-add-up.ts';
import { usageCounted } from './usage-counted.ts';

/**
 * What is held against a story when it is over. M7 and M10 have been held against each of its steps, and so have M2, M4,
 * M5 and M8, which are looked at again as a whole; M9 takes two stories and is checked by whoever has them.
 */
const checks: readonly (readonly [InvariantName, (evidence: Evidence) => Verdict])[] = [
  ['M1', oneEnding],
  ['M2', effectsOnce],
  ['M3', nothingLeft],
  ['M4', tasksAddUp],
  ['M5', usageCounted],
  ['M6', struckOut],
  ['M8', replayAgrees],
];

export interface Judgement {
  readonly violations: readonly string[];
  /** How many things each invariant was held against. */
  readonly looked: Looked;
}

export const judge = (evidence: Evidence): Judgement => {
  const looked = lookedAtNothing();
  const violations = new Set(evidence.defects.map((defect) => `a service ended by a defect: ${defect}`));
  for (const one of evidence.observer.wrong()) violations.add(one);
  for (const [name, seen] of evidence.observer.looked) looked[name] += seen;
  for (const [name, check] of checks) {
    const { looked: seen, wrong } = check(evidence);
    looked[name] += seen;
    for (const one of wrong) violations.add(`${name}: ${one}`);
  }
  return { violations: [...violations], looked };
};
