import { limits, positionOf, shardOf } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { testAgents } from './testing/agents.ts';
import {
  assign,
  done,
  modelFails,
  modelSays,
  runKey,
  settles,
  start,
  taskKey,
  toCall,
} from './testing/envelopes.ts';
import { storyOf } from './testing/story.ts';

const decider = runDecider(testAgents());
const begun = () => storyOf(decider)().when(assign('clerk'));

test('nothing is in flight for a run that has not begun', () => {
  storyOf(decider)().thenNext();
});

test('calls go to who carries them out, under the position of the turn that asked', () => {
  const told = begun().when(
    modelSays({ calls: [toCall('files.search', { text: 'x' }), toCall('lab.measure')] }),
  );
  const sent = { attempt: 1, deadline: start + 1_000 };
  told.thenNext(
    {
      ...sent,
      type: 'tool.call',
      key: runKey(2, 0),
      to: { service: 'tool-gateway', pool: 'default' as never }, // a pool's name is branded
      payload: { tool: 'files.search', input: { text: 'x' } },
    },
    {
      ...sent,
      type: 'tool.call',
      key: runKey(2, 1),
      to: { service: 'tool-gateway', pool: 'lab' as never }, // a pool's name is branded
      payload: { tool: 'lab.measure', input: {} },
    },
  );
});

test('memory is asked in its own types', () => {
  const told = begun().when(
    modelSays({ calls: [toCall('memory.write', { text: 'a' }), toCall('memory.query', { limit: 2 })] }),
  );
  expect(told.next).toMatchObject([
    { type: 'memory.write', to: { service: 'memory', pool: 'default' }, payload: { text: 'a' } },
    { type: 'memory.query', to: { service: 'memory', pool: 'default' }, payload: { limit: 2 } },
  ]);
  told.when(settles(1, done([]), undefined, 'memory.settle')).thenKinds('call-returned');
});

test('what was asked before an event is left out when only later effects are wanted', () => {
  const { state } = begun().when(
    modelSays({ calls: [toCall('files.search'), toCall('files.search'), toCall('files.search')] }),
  );
  const third = storyOf(decider)(...begun().journal).when(
    modelSays({ calls: [toCall('files.search'), toCall('files.search'), toCall('files.search')] }),
  );
  const { state: later } = third.when(settles(0, done(1)));
  expect([...decider.next(state, 3)]).toHaveLength(2);
  expect([...decider.next(state, 4)]).toHaveLength(0);
  expect([...decider.next(later, 4)].map(({ draft, asked }) => [draft.key, asked])).toEqual([
    [runKey(2, 2), 5],
  ]);
});

test('a settle says whose task it was, its times, and what this attempt used', () => {
  const ended = begun()
    .when(modelSays({ calls: [toCall('files.search'), toCall('made.up')] }))
    .when(settles(0, done(1)))
    .when(modelSays({ text: 'found', answer: { value: 'found' }, probed: [{ length: 3 }] }), start + 50);
  ended.thenNext({
    type: 'task.settle',
    to: { service: 'manager', pool: shardOf(positionOf(taskKey).job) },
    key: taskKey,
    attempt: 1,
    payload: {
      results: [
        {
          key: taskKey,
          attempt: 1,
          outcome: { kind: 'done', output: { value: 'found' } },
          worker: 'clerk',
          started_at: start,
          ended_at: start + 50,
          usage: { tool_calls: 1, model_calls: 2 },
          probed: [{ length: 3 }],
        },
      ],
    },
  });
});

test('M5: another attempt settles with its own usage, for the job adds them up', () => {
  const second = begun()
    .when(modelSays({ calls: [toCall('files.search')] }))
    .when(settles(0, done(1)))
    .when(modelFails('throttled', 0))
    .when(assign('clerk', 2))
    .when(modelSays({ text: 'ok', answer: { value: 1 } }));
  expect(second.next[0]?.payload).toMatchObject({
    results: [{ attempt: 2, usage: { tool_calls: 0, model_calls: 1 } }],
  });
});

test('a failure says where, why and what was said last, whatever the length of each', () => {
  let told = begun();
  for (let turn = 0; turn < 4; turn++)
    told = told
      .when(modelSays({ text: 'ü'.repeat(5_000), calls: [toCall('files.search')] }))
      .when(settles(0, done(1)));
  const long = told.when((state) => {
    const envelope = modelFails('invalid')(state);
    return JSON.parse(JSON.stringify(envelope).replace('it was invalid', `no: ${'é'.repeat(2_000)}`));
  });
  const [settle] = long.next;
  const outcome = settle?.type === 'task.settle' ? settle.payload.results[0]?.outcome : undefined;
  const detail = outcome?.kind === 'failed' ? outcome.fault.detail : '';
  expect(detail).toMatch(/^agent clerk, turn 5: no: é+ … \(cut\); it had last said: ü+ … \(cut\)$/);
  expect(new TextEncoder().encode(detail).length).toBeLessThanOrEqual(limits.faultDetailBytesMax);
});

test('a failure is one line that names its kind beside the words alone, and no state of the run', () => {
  const failureAfter = (told: ReturnType<typeof begun>) => {
    const [settle] = told.next;
    const outcome = settle?.type === 'task.settle' ? settle.payload.results[0]?.outcome : undefined;
    return outcome?.kind === 'failed' ? outcome.fault : undefined;
  };
  const spoken = begun().when(modelSays({ text: ' Let me\n see. ', calls: [toCall('files.search')] }));
  expect(failureAfter(spoken.when(settles(0, done(1))).when(modelFails('refused')))).toEqual({
    kind: 'refused',
    detail: 'agent clerk, turn 2: it was refused; it had last said: Let me see.',
    source: 'agent',
  });
  expect(failureAfter(begun().when(modelFails('unavailable')))).toMatchObject({
    kind: 'unavailable',
    detail: 'agent clerk, turn 1: it was unavailable',
  });
});
