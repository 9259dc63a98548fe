import { type JobState, jobFold } from '@foldmesh/job';
import { play, spec, task } from '@foldmesh/job/internal';
import { expect, it } from 'vitest';
import { lineProgress } from './line-progress.ts';

const { events } = play(spec([task('a')]), () => ({ output: 1 }));
const running = events.slice(0, 3).reduce((state, event) => jobFold.evolve(state, event), jobFold.initial());

const ask = {
  request: 'a.1.0',
  task: 0,
  key: '' as never, // nobody looks at it
  question: 'Which?',
  schema: { enum: ['red', 'blue'] },
  at: 0,
};

const said = (answered: ((request: string) => string) | undefined, states: readonly JobState[]): string => {
  let text = '';
  const screen = {
    isTerminal: false,
    hasColours: false,
    columns: 80,
    rows: 24,
    write: (more: string) => {
      text += more;
    },
  };
  const progress = lineProgress(screen, answered);
  for (const state of states) progress.show({ state, events: [], at: state.accepted_at });
  return text;
};

it('says once what is asked and how to answer it, and that it was answered', () => {
  const asking = { ...running, asks: [ask] };
  const answered = { ...running, asks: [{ ...ask, answer: 'red' as never }] };
  expect(said((request) => `foldmesh answer j ${request}`, [asking, asking, answered, answered])).toBe(
    `${said(undefined, [running])}a.1.0 asks: Which? (red | blue)\n  foldmesh answer j a.1.0\na.1.0 was answered\n`,
  );
});

it('leaves a question to whoever puts it here', () => {
  expect(said(undefined, [{ ...running, asks: [ask] }])).not.toContain('Which?');
});
