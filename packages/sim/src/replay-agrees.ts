import type { Evidence, Verdict } from './evidence.ts';

/** M8: replaying any prefix of a journal, a job's or a run's, gives the state that its entries carry. */
export const replayAgrees = ({ jobs }: Evidence): Verdict => {
  const journals = jobs.flatMap(({ told }) => [
    told,
    ...[...told.runs].map(([task, run]) => ({ ...run, name: `${told.name}/${task}` })),
  ]);
  return {
    looked: journals.reduce((sum, { entries }) => sum + entries, 0),
    wrong: journals.flatMap(({ name, strayed }) => strayed.map((where) => `${name}: ${where}`)),
  };
};
