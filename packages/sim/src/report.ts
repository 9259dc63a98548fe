import type { Total } from './run-seeds.ts';
import type { Outcome } from './simulate.ts';

const linesMax = 80;

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

/** The last line is read by machines. */
export const totalLines = (total: Total): readonly string[] => {
  const said = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `jobs: ${said(total.endings)}; deaths ${total.deaths}, repeats without harm ${total.repeats}`,
    `invariants were held against: ${said(total.looked)}`,
    `seeds ${total.seeds}, steps ${total.steps}, faults ${total.faults}, violations ${total.violations}`,
  ];
};
