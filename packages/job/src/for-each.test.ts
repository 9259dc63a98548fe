import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { jobLimits } from './job-limits.ts';
import type { TaskSpec } from './spec.ts';
import { failed } from './testing/envelopes.ts';
import { type Played, play, type Worker } from './testing/play.ts';
import { look, spec, task } from './testing/specs.ts';
import { taskEnded } from './transitions.ts';

const echo: Worker = ({ input }) => ({ output: input });

/** Plays `each` over a list, and hands what came of it to `sum`. */
const loop = (
  each: Partial<TaskSpec>,
  worker: Worker = echo,
  more: Parameters<typeof spec>[1] = {},
): Played =>
  play(
    spec(
      [
        task('each', { input: look('item'), ...each }),
        task('sum', { input: { all: look('tasks.each.output'), gaps: look('tasks.each.gaps') } }),
      ],
      { inputs: { list: ['a', 'b', 'c'], words: { de: ['eins'] }, none: [] }, ...more },
    ),
    worker,
  );

const summed = ({ asked }: Played): Json => asked.find(({ task: id }) => id === 'sum')?.input ?? null;
const children = ({ asked }: Played): [string, Json][] =>
  asked.filter(({ task: id }) => id !== 'sum').map(({ task: id, input }): [string, Json] => [id, input]);

test('over a list written down, over one of the inputs, and over one that is empty', () => {
  expect(children(loop({ for_each: [1, { x: 2 }] }))).toEqual([
    ['each~0', 1],
    ['each~1', { x: 2 }],
  ]);
  expect(summed(loop({ for_each: look('inputs.list') }))).toEqual({ all: ['a', 'b', 'c'], gaps: [] });
  expect(summed(loop({ for_each: look('inputs.words.de') }))).toEqual({ all: ['eins'], gaps: [] });
  for (const none of [[], look('inputs.none')]) {
    const played = loop({ for_each: none });
    expect(summed(played)).toEqual({ all: [], gaps: [] });
    expect(played.state).toMatchObject({ status: 'completed', end_reason: 'goal' });
  }
});

test('in batches each child gets so many items, and the last what is left', () => {
  const played = loop({ for_each: [1, 2, 3, 4, 5], batch: 2 });
  expect(children(played)).toEqual([
    ['each~0', [1, 2]],
    ['each~1', [3, 4]],
    ['each~2', [5]],
  ]);
  // A batch of one is a list of one: the shape does not depend on the number.
  expect(summed(loop({ for_each: ['x'], batch: 1 }))).toEqual({ all: [['x']], gaps: [] });
  expect(summed(loop({ for_each: ['x'] }))).toEqual({ all: ['x'], gaps: [] });
});

const list = (): Json => ({ entries: Array.from({ length: 5 }, (_, at) => `entry ${at}`), other: 1 });

/** A loop over what another task found, inline or by reference. */
const found = (path: string, output: Json, more: Partial<TaskSpec> = {}): Played =>
  play(
    spec([
      task('list'),
      task('each', { for_each: look(`tasks.list.output${path}`), input: look('item'), ...more }),
    ]),
    ({ task: id, input }) => ({ output: id === 'list' ? output : input }),
  );

test('over what a task found, whether that is small or lies outside the job', () => {
  const long = { ...Object(list()), long: 'x'.repeat(1_000) };
  for (const output of [list(), long]) {
    const { state, assigns, asked } = found('.entries', output, { batch: 2 });
    expect(state.status).toBe('completed');
    expect(asked.slice(1).map(({ input }) => input)).toEqual([
      ['entry 0', 'entry 1'],
      ['entry 2', 'entry 3'],
      ['entry 4'],
    ]);
    const part = assigns.find(({ tasks }) => tasks.includes('each~2'))?.draft.payload.tasks.at(-1);
    // A list that lies in the job is cut here; any other is named, with the slice, and cut where it is fetched.
    expect(part?.item).toEqual(
      output === long
        ? { of: { ref: expect.anything(), path: ['entries'] }, from: 4, to: 5, single: false }
        : { of: { value: ['entry 4'] }, from: 0, to: 1, single: false },
    );
  }
  expect(
    found('', ['x', 'y'])
      .state.tasks.slice(2)
      .map(({ output }) => output),
  ).toEqual([{ value: 'x' }, { value: 'y' }]);
});

test.each<[string, string, Json, string]>([
  [
    'missing',
    '.entires',
    list(),
    'for_each: ${tasks.list.output.entires}: no entires; the keys there are entries, other',
  ],
  ['no list', '.other', list(), 'for_each: ${tasks.list.output.other} is not a list'],
  ['nothing', '', null, 'for_each: ${tasks.list.output} is not a list'],
])('over what is %s: the task is invalid, and says where it looked', (_, path, output, detail) => {
  const { state, asked } = found(path, output);
  expect(asked).toHaveLength(1);
  expect(state).toMatchObject({ status: 'failed', end_reason: 'failed', fault: { kind: 'invalid' } });
  expect(state.tasks[1]).toMatchObject({ status: 'failed', fault: { kind: 'invalid', detail } });
  const skipping = found(path, output, { on_failure: 'skip' });
  expect(skipping.state).toMatchObject({ status: 'completed', tasks: [{}, { status: 'failed' }] });
});

test('over what another for_each made, in order, with null where a child failed', () => {
  const job = spec([
    task('first', { for_each: [0, 1, 2], input: look('item'), on_failure: 'skip' }),
    task('second', { for_each: look('tasks.first.output'), input: { got: look('item') } }),
    task('third', { for_each: look('tasks.first.gaps'), input: look('item.task') }),
  ]);
  const played = play(job, ({ task: id, input }) =>
    id === 'first~1' ? { outcome: failed('invalid', 'one is bad') } : { output: input },
  );
  const of = (name: string): Json[] =>
    played.asked.filter(({ task: id }) => id.startsWith(name)).map(({ input }) => input);
  expect(of('second')).toEqual([{ got: 0 }, { got: null }, { got: 2 }]);
  expect(of('third')).toEqual(['first~1']);
});

test('over the output of a task that was missed there is nothing to do', () => {
  const job = spec([
    task('list', { on_failure: 'skip' }),
    task('each', {
      for_each: look('tasks.list.output.entries'),
      depends_on: [{ task: 'list', optional: true }],
    }),
  ]);
  const { state } = play(job, () => ({ outcome: failed('invalid', 'no') }));
  expect(state).toMatchObject({
    status: 'completed',
    tasks: [{ status: 'failed' }, { status: 'completed' }],
  });
});

test('a child that fails along skip is null in its place, and named among the gaps with its reason', () => {
  const played = loop({ for_each: ['x', 'y', 'z'], on_failure: 'skip' }, ({ task: id, input }) =>
    id === 'each~1' ? { outcome: failed('refused', 'y is not allowed') } : { output: input },
  );
  expect(summed(played)).toEqual({
    all: ['x', null, 'z'],
    gaps: [{ task: 'each~1', status: 'failed', reason: 'y is not allowed' }],
  });
  expect(played.state).toMatchObject({ status: 'completed', end_reason: 'goal' });
});

test('gaps stand in the order of the items, in whatever order the children failed', () => {
  const played = loop(
    { for_each: [1, 2, 3, 4], on_failure: 'skip' },
    ({ task: id, input }) =>
      id === 'sum' ? { output: input } : { outcome: failed('invalid', `${input}`), ms: 100 - Number(input) },
    { split: 'always' },
  );
  expect(summed(played)).toMatchObject({ gaps: [1, 2, 3, 4].map((reason) => ({ reason: `${reason}` })) });
});

test('a child that fails along fail ends the job, and no further child begins', () => {
  const played = loop(
    { for_each: Array.from({ length: 20 }, (_, at) => at), concurrency: 2 },
    ({ task: id }) => (id === 'each~3' ? { outcome: failed('invalid', 'three') } : { output: 1 }),
  );
  expect(played.state).toMatchObject({
    status: 'failed',
    fault: { detail: 'task each~3 failed: three' },
  });
  expect(children(played).length).toBeLessThanOrEqual(6);
});

test('each child has its own attempts', () => {
  const { asked, state } = loop(
    { for_each: [1, 2], retry: { attempts: 2 } },
    ({ task: id, attempt, input }) =>
      attempt === 1 && id !== 'sum'
        ? { outcome: failed('throttled', 'busy', { retry_after_ms: 0 }) }
        : { output: input },
  );
  expect(state.status).toBe('completed');
  expect(asked.map(({ task: id, attempt }) => `${id}/${attempt}`).toSorted()).toEqual([
    'each~0/1',
    'each~0/2',
    'each~1/1',
    'each~1/2',
    'sum/1',
  ]);
});

test.each([1, 3, 7])('never more than %i at once, and as many as that', (concurrency) => {
  let most = 0;
  const items = Array.from({ length: 30 }, (_, at) => at);
  const job = spec([task('each', { for_each: items, concurrency, input: look('item') })], {
    split: 'always',
  });
  const { asked } = play(job, ({ input }) => ({ output: input, ms: 10 + (Number(input) % 4) * 25 }), {
    watch: ({ state }) => {
      const begun = state.tasks.slice(1).filter(({ status }) => status !== 'pending' && !taskEnded(status));
      most = Math.max(most, begun.length);
    },
  });
  expect(most).toBe(concurrency);
  expect(asked.map(({ input }) => input)).toEqual(items);
});

test('more children than a job may have tasks are refused, with the numbers', { timeout: 60_000 }, () => {
  const many = { many: Array.from({ length: jobLimits.tasksWithChildrenMax }, () => 0) };
  const played = found('.many', many);
  expect(played.state.tasks[1]?.fault?.detail).toBe(
    'for_each: 50000 children would make 50002 tasks, the limit is 50000',
  );
  const { state } = found('.many', many, { batch: 2 });
  expect([state.status, state.tasks[1]?.group?.count]).toEqual(['completed', 25_000]);
});

test('of two loops that have no room together the second is refused', () => {
  const half = { many: Array.from({ length: jobLimits.tasksWithChildrenMax / 2 }, () => 0) };
  const each = (id: string) => task(id, { for_each: look('tasks.list.output.many'), skill: 'work.b' });
  const { state } = play(spec([task('list'), each('a'), each('b')]), ({ task: id }) =>
    id === 'list' ? { output: half } : 'silence',
  );
  expect(state.tasks[2]?.fault?.detail).toBe(
    'for_each: 25000 children would make 50003 tasks, the limit is 50000',
  );
});

const decisions = ({ events }: Played) =>
  events.flatMap((event) => (event.kind === 'plan-decided' ? [event.decision] : []));

test('the decision to split is taken again when a loop shows how wide it is', () => {
  const job = spec([
    task('list'),
    task('each', { for_each: look('tasks.list.output'), concurrency: 8 }),
    task('sum', { depends_on: ['each'] }),
  ]);
  const one = decisions(play(job, ({ task: id }) => ({ output: id === 'list' ? ['x'] : 1 })));
  expect(one.map(({ split, density }) => [split, density])).toEqual([
    [true, 0.3778],
    [false, 1],
  ]);
  const many = decisions(play(job, ({ task: id }) => ({ output: id === 'list' ? Array(20).fill(1) : 1 })));
  expect(many.map(({ split }) => split)).toEqual([true, true]);
});

test('it is not taken again for every loop of a long plan, each of which is a small part of it', () => {
  const loops = Array.from({ length: 100 }, (_, at) => [
    task(`l${at}`),
    task(`t${at}`, { for_each: look(`tasks.l${at}.output`), concurrency: 2 }),
  ]).flat();
  const taken = decisions(
    play(spec(loops, { split: 'always' }), ({ task: id }) => ({ output: id.startsWith('l') ? [1] : 1 })),
  );
  expect(taken.length).toBeGreaterThan(jobLimits.decisionParts / 2);
  expect(taken.length).toBeLessThan(jobLimits.decisionParts * 2);
});
