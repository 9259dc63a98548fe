import { effectsOnce } from './effects-once.ts';
import type { Evidence, Verdict } from './evidence.ts';
import { oneEnding } from './one-ending.ts';
import { replayAgrees } from './replay-agrees.ts';
import { tasksAddUp } from './tasks-add-up.ts';

export const invariantNames = ['M1', 'M2', 'M4', 'M8', 'M9'] as const;
export type InvariantName = (typeof invariantNames)[number];

/** Each invariant with what checks it; M9 takes two histories and is checked by whoever has them. */
const checks: readonly (readonly [InvariantName, (evidence: Evidence) => Verdict])[] = [
  ['M1', oneEnding],
  ['M2', effectsOnce],
  ['M4', tasksAddUp],
  ['M8', replayAgrees],
];

export interface Judgement {
  readonly violations: readonly string[];
  /** How many things each invariant was held against. */
  readonly looked: Readonly<Record<InvariantName, number>>;
}

export const judge = (evidence: Evidence): Judgement => {
  const looked: Record<InvariantName, number> = { M1: 0, M2: 0, M4: 0, M8: 0, M9: 0 };
  const violations = evidence.defects.map((defect) => `a service ended by a defect: ${defect}`);
  for (const [name, check] of checks) {
    const { looked: seen, wrong } = check(evidence);
    looked[name] += seen;
    violations.push(...wrong.map((one) => `${name}: ${one}`));
  }
  return { violations, looked };
};
