import { routes } from './coverage.ts';
import { invariantNames } from './invariants.ts';
import type { Total } from './run-seeds.ts';
import type { Shrunk } from './shrink.ts';
import type { Outcome } from './simulate.ts';

const linesMax = 120;

/** What people need of a seed that failed: which, what was violated, how to see it again, and the end of its history. */
export const failureLines = (
  { seed, violations, history, hash }: Outcome,
  whole: boolean,
): readonly string[] => {
  const shown = whole ? history : history.slice(-linesMax);
  return [
    `seed ${seed} FAILED (pnpm sim --seed ${seed} --trace shows all of it)`,
    ...violations.map((violation) => `  ${violation}`),
    ...(shown.length < history.length ? [`  … ${history.length - shown.length} lines before`] : []),
    ...shown.map((line) => `  ${line}`),
    `  history ${hash}`,
  ];
};

/** The same of what is left of it when all that it does not need is gone. */
export const shrunkLines = ({ outcome, tried, without }: Shrunk, whole: boolean): readonly string[] => [
  `seed ${outcome.seed}, shrunk in ${tried} tries; it fails without: ${without.join(', ') || 'nothing less'}`,
  ...failureLines(outcome, whole).slice(1),
];

/** What the whole of a large run must have met: each at least so often in ten thousand seeds. */
export const coveredMin = 100;

/** Every fault, blow and move with how often it came, the rarest first. */
export const coverageLines = ({ coverage }: Total, ways: readonly string[]): readonly string[] => {
  const all = new Map(ways.map((way) => [way, 0]));
  for (const [way, times] of coverage) all.set(way, times);
  return [...all].toSorted(([, one], [, other]) => one - other).map(([way, times]) => `  ${way}: ${times}`);
};

/** What a run has met less often than it should for its length. */
export const rarelyMet = ({ coverage, seeds }: Total, ways: readonly string[]): readonly string[] =>
  ways.filter((way) => (coverage.get(way) ?? 0) < (coveredMin * seeds) / 10_000);

const said = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** The last line is read by machines. */
export const totalLines = (total: Total): readonly string[] => {
  const moved = routes.filter((route) => total.coverage.has(route)).length;
  const live = invariantNames.filter((name) => total.looked[name] > 0);
  return [
    `jobs: ${said(total.endings)}; ${total.compared} compared with what they come to where nothing goes wrong`,
    `deaths ${total.deaths}, repeats without harm ${total.repeats}, moves met ${moved} of ${routes.length}`,
    `live invariants: ${live.join(', ') || 'none'}; held against: ${said(total.looked)}`,
    `seeds ${total.seeds}, steps ${total.steps}, faults ${total.faults}, violations ${total.violations}`,
  ];
};
