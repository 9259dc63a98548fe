import type { Json } from '@foldmesh/envelope';
import { timeRatio } from '@foldmesh/ports/internal';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { failed } from './testing/envelopes.ts';
import { play, type Worker } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

/** Ten times the work may take fifteen times as long: caches and collections cost something, squares cost a hundred times. */
const slack = 1.5;

const decider = () => jobDecider(testCatalogue({ slots: 16, costs: { 'work.a': 200 } }));

const ratio = (small: () => void, large: () => void, rounds: number): number =>
  timeRatio(() => performance.now(), { small, large, rounds, enough: slack });

interface Shape {
  readonly job: (size: number) => Json;
  readonly worker: Worker;
}

const many = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));
const echo: Worker = ({ input }) => ({ output: input });

const tasks: Shape = {
  job: (size) =>
    spec(
      many(size, (at) => task(`t${at}`)),
      { split: 'always' },
    ),
  worker: echo,
};

const loop: Shape = {
  job: (size) =>
    spec([task('each', { for_each: many(size, (at) => at), input: look('item') })], { split: 'always' }),
  worker: echo,
};

test.each([
  ['independent tasks', tasks],
  ['children of one for_each', loop],
])(
  'folding the events of ten times as many %s takes ten times as long',
  { timeout: 60_000 },
  (_, { job, worker }) => {
    const fold = (size: number) => {
      const { events, state } = play(job(size), worker, { decider: decider() });
      expect([state.status, events.length > size]).toEqual(['completed', true]);
      const { evolve, initial } = decider();
      return () => void events.reduce(evolve, initial());
    };
    expect(ratio(fold(1_000), fold(10_000), 9)).toBeLessThan(slack);
  },
);

const shapes: Readonly<Record<string, Shape>> = {
  'independent tasks': tasks,
  'children of one for_each': loop,
  'links of a chain': {
    job: (size) => spec(many(size, (at) => task(`t${at}`, { depends_on: at === 0 ? [] : [`t${at - 1}`] }))),
    worker: echo,
  },
  'parts of a merge': {
    job: (size) =>
      spec(
        [
          ...many(size, (at) => task(`t${at}`)),
          task('merge', { depends_on: many(size, (at) => ({ task: `t${at}`, optional: true })) }),
        ],
        { split: 'always' },
      ),
    worker: echo,
  },
  'tasks that each wait for an attempt of their own': {
    job: (size) =>
      spec(
        many(size, (at) => task(`t${at}`, { retry: { attempts: 2 } })),
        { split: 'always' },
      ),
    worker: ({ task: id, attempt }) =>
      attempt === 1
        ? { outcome: failed('throttled', 'busy', { retry_after_ms: 200_000 + Number(id.slice(1)) * 7 }) }
        : { output: 1 },
  },
  'tasks skipped one after the other': {
    job: (size) =>
      spec(
        many(size, (at) =>
          task(`t${at}`, { depends_on: at === 0 ? [] : [`t${at - 1}`], on_failure: 'skip' }),
        ),
      ),
    worker: () => ({ outcome: failed('invalid', 'no') }),
  },
  'loops, each over what another task found': {
    job: (size) =>
      spec(
        many(size / 10, (at) => [
          task(`l${at}`),
          task(`t${at}`, { for_each: look(`tasks.l${at}.output`) }),
        ]).flat(),
        { split: 'always' },
      ),
    worker: ({ task: id }) => ({ output: id.startsWith('l') ? many(8, (at) => at) : 1 }),
  },
  'children over what other children made, and over what those left out': {
    job: (size) =>
      spec(
        [
          task('a', { for_each: many(size / 2, (at) => at), input: look('item'), on_failure: 'skip' }),
          task('b', { for_each: look('tasks.a.output'), input: look('item') }),
          task('c', { for_each: look('tasks.a.gaps'), input: look('item.task') }),
        ],
        { split: 'always' },
      ),
    worker: ({ task: id, input }) =>
      id.startsWith('a~') && Number(input) % 2 === 1
        ? { outcome: failed('invalid', 'odd') }
        : { output: input },
  },
};

test.each(Object.entries(shapes))(
  'deciding a whole job of ten times as many %s takes ten times as long',
  { timeout: 60_000 },
  (_, { job, worker }) => {
    const whole = (size: number) => {
      const specification = job(size);
      return () => expect(play(specification, worker, { decider: decider() }).state.status).toBe('completed');
    };
    expect(ratio(whole(300), whole(3_000), 3)).toBeLessThan(slack);
  },
);
