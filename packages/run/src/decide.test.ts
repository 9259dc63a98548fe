import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { agent, testAgents } from './testing/agents.ts';
import {
  answers,
  assign,
  cancels,
  done,
  failed,
  modelFails,
  modelSays,
  modelStopped,
  paused,
  runKey,
  settles,
  start,
  stopped,
  taskKey,
  toCall,
  unknown,
} from './testing/envelopes.ts';
import { storyOf } from './testing/story.ts';

const given = storyOf(runDecider(testAgents()));
const begun = (name = 'clerk') => given().when(assign(name));
const search = toCall('files.search', { text: 'x' });
const searching = () => begun().when(modelSays({ calls: [search] }));

test('an assignment begins a run, which asks the model', () => {
  const told = begun().thenKinds('run-started', 'model-asked').thenStatus('model_calling');
  expect(told.events[0]).toMatchObject({ key: taskKey, attempt: 1, pool: 'gpu', agent: agent(), at: start });
  expect(told.next).toMatchObject([
    { type: 'model.call', key: runKey(1), attempt: 1, to: { service: 'worker', pool: 'gpu' } },
  ]);
});

test('M2: the assignment again begins nothing, whatever has become of the run', () => {
  begun().when(assign('clerk')).thenEvents();
  begun().when(assign('clerk', 2)).thenEvents();
  const ended = begun().when(modelSays({ text: 'found', answer: { value: 'found' } }));
  ended.when(assign('clerk')).thenEvents();
  ended.when(assign('clerk', 2)).thenEvents().thenAsks('task.settle');
});

test('a newer attempt opens a failed run again: what is settled stays, turns and usage are counted anew', () => {
  const failedRun = searching()
    .when(settles(0, done('one hit')))
    .when(modelFails('throttled', 5_000));
  failedRun.thenStatus('failed').when(assign('clerk', 1)).thenEvents().thenAsks('task.settle');
  const again = failedRun.when(assign('clerk', 2), start + 9).thenKinds('run-reopened', 'model-asked');
  expect(again.state).toMatchObject({
    attempt: 2,
    started_at: start + 9,
    turns: 1,
    model_calls: 1,
    tool_calls: 0,
  });
  expect(again.next).toMatchObject([{ type: 'model.call', attempt: 2 }]);
  again.when(modelSays({ text: 'late' }, { attempt: 1 })).thenEvents();
  again.when(modelSays({ text: 'ok', answer: { value: 1 } })).thenKinds('model-replied', 'run-completed');
});

test('a newer attempt opens a stopped run too, or nobody would ever answer for it', () => {
  searching().when(cancels).when(assign('clerk', 2)).thenKinds('run-reopened', 'model-asked');
});

test('an agent that is not here fails for now, and the next attempt begins anew with whoever has it', () => {
  const without = given().when(assign('nobody')).thenKinds('run-started', 'run-failed').thenStatus('failed');
  expect(without.next[0]?.payload).toMatchObject({
    results: [{ outcome: { kind: 'failed', fault: { kind: 'unavailable', retry_after_ms: 3_000 } } }],
  });
  const nobody = agent({ name: 'nobody', model: 'scripted/nobody' });
  const elsewhere = storyOf(runDecider({ ...testAgents(), find: () => nobody }));
  const there = elsewhere(...without.journal)
    .when(assign('nobody', 2))
    .thenKinds('run-started', 'model-asked');
  expect(there.events[0]).toMatchObject({ attempt: 2, agent: { model: 'scripted/nobody' } });
});

test('an agent whose tools nobody offers fails for good, and names them all', () => {
  const told = given().when(assign('wanting')).thenKinds('run-started', 'run-failed');
  expect(told.state.end).toMatchObject({ reason: 'invalid', fault: { kind: 'invalid' } });
  expect(told.state.end?.fault?.detail).toContain('files.eat, files.burn');
  expect(told.state.end?.fault).not.toHaveProperty('retry_after_ms');
});

test('without a declared answer a turn that calls nothing is the answer', () => {
  const told = begun().when(
    modelSays({ text: 'found', answer: { value: 'found' }, probed: [{ length: null }] }),
  );
  told.thenKinds('model-replied', 'run-completed').thenStatus('completed').thenAsks('task.settle');
  expect(told.state.end).toMatchObject({
    reason: 'goal',
    answer: { value: 'found' },
    probed: [{ length: null }],
  });
});

test('with a declared answer only the tool `answer` ends it; words alone do not', () => {
  const judge = begun('judge');
  judge
    .when(modelSays({ text: 'I think so', answer: { value: 1 } }))
    .thenKinds('model-replied', 'model-asked');
  const told = judge.when(
    modelSays({ calls: [toCall('answer', { verdict: 1 }, { answer: { value: { verdict: 1 } } })] }),
  );
  told.thenKinds('model-replied', 'run-completed');
  expect(told.state.end?.answer).toEqual({ value: { verdict: 1 } });
});

test('an answer of another shape is told back to the model, and ends nothing', () => {
  const call = toCall('answer', {}, { problem: 'verdict is missing' });
  const told = begun('judge')
    .when(modelSays({ calls: [call] }))
    .thenKinds('model-replied', 'model-asked');
  expect(told.events[0]).toMatchObject({
    calls: [{ name: 'answer', by: 'run', problem: 'verdict is missing' }],
  });
});

test('an answer that nobody has read ends nothing and is sent nowhere', () => {
  begun('judge')
    .when(modelSays({ calls: [toCall('answer', { verdict: 1 })] }))
    .thenKinds('model-replied', 'model-asked')
    .thenAsks('model.call');
});

test('a terminal tool ends the run with its arguments: nothing beside it is sent', () => {
  const plan = toCall(
    'plan.submit',
    { tasks: [] },
    { answer: { value: { tasks: [] } }, probed: [{ length: 0 }] },
  );
  const told = begun('planner').when(modelSays({ calls: [search, plan] }));
  told.thenKinds('model-replied', 'run-completed').thenAsks('task.settle');
  expect(told.state.end).toMatchObject({ answer: { value: { tasks: [] } }, probed: [{ length: 0 }] });
  // Not with arguments that cannot be read.
  begun('planner')
    .when(modelSays({ calls: [{ ...plan, problem: 'no JSON' }] }))
    .thenKinds('model-replied', 'model-asked');
  // Not for one who may not call it.
  begun()
    .when(modelSays({ calls: [plan] }))
    .thenKinds('model-replied', 'model-asked');
});

test.each(['files.serach', '', 'x'.repeat(300), 'files\nsearch', 'plan.submit'])(
  'C083: the name %j runs nothing, is answered with the names that may be called, and the run goes on',
  (name) => {
    const told = begun().when(modelSays({ calls: [toCall(name, { a: 1 })] }));
    told.thenKinds('model-replied', 'model-asked').thenAsks('model.call').thenStatus('model_calling');
    const [replied] = told.events;
    expect(replied).toMatchObject({
      calls: [
        {
          by: 'run',
          problem:
            'there is no tool of this name; you may call: files.search, files.write, lab.measure, memory.write, memory.query',
        },
      ],
    });
    expect(told.state.tool_calls).toBe(0);
  },
);

test.each([
  ['memory.write', {}],
  ['memory.write', { text: '' }],
  ['memory.write', 'a fact'],
  ['memory.query', { limit: 0 }],
  ['memory.query', { tenant: 'other' }],
])('a call of %s with %j is told back to the model, and nothing is sent', (name, input) => {
  const told = begun().when(modelSays({ calls: [toCall(name, input)] }));
  told.thenKinds('model-replied', 'model-asked').thenAsks('model.call');
  expect(told.events[0]).toMatchObject({
    calls: [{ problem: expect.stringContaining(`${name} cannot be called like this: `) }],
  });
});

test('only the reply that is waited for counts, and of two the first', () => {
  const asked = begun();
  asked.when(modelSays({ text: 'x' }, { step: 0 })).thenEvents();
  asked.when(modelSays({ text: 'x' }, { attempt: 2 })).thenEvents();
  const once = asked.when(modelSays({ calls: [search] }));
  once.when(modelSays({ text: 'other' }, { step: 1 })).thenEvents();
});

test.each([
  ['refused', 'refused', undefined],
  ['invalid', 'invalid', undefined],
  ['overflow', 'failed', undefined],
  ['unavailable', 'failed', 2_000],
  ['throttled', 'failed', 0],
] as const)(
  'a model that fails %s ends the run %s, and what may be tried later says so',
  (kind, reason, later) => {
    const told = searching()
      .when(settles(0, done(1)))
      .when(modelFails(kind, later))
      .thenKinds('run-failed');
    expect(told.state.end?.reason).toBe(reason);
    const [settle] = told.next;
    const fault = settle?.type === 'task.settle' ? settle.payload.results[0]?.outcome : undefined;
    expect(fault).toMatchObject({ kind: 'failed', fault: { kind, source: 'agent' } });
    expect(fault).toHaveProperty(
      'fault.detail',
      expect.stringMatching(new RegExp(`^agent clerk, turn 2: it was ${kind}`)),
    );
    const wait = fault?.kind === 'failed' ? fault.fault.retry_after_ms : 'none';
    expect(wait).toBe(later);
  },
);

test('a model call that was stopped stops the run', () => {
  begun().when(modelStopped).thenKinds('run-cancelled').thenStatus('cancelled');
});

test('each call has one result, the first; late ones, unknown ones and ones of an older turn add nothing', () => {
  const two = begun()
    .when(modelSays({ calls: [search, search] }))
    .thenKinds('model-replied', 'calls-sent');
  const one = two
    .when(settles(1, done('second')))
    .thenKinds('call-returned')
    .thenStatus('tool_calling');
  one.when(settles(1, failed('invalid', 'no'))).thenEvents();
  one.when(settles(2, done(1))).thenEvents();
  one.when(settles(0, done(1), 1)).thenEvents();
  const both = one.when(settles(0, done('first'))).thenKinds('call-returned', 'model-asked');
  both.when(settles(0, done(1), 2)).thenEvents();
  given()
    .when(settles(0, done(1)))
    .thenEvents();
});

test('what came of a call is kept as it came', () => {
  const outcomes = [failed('refused', 'no'), unknown('files.write', 'the line broke'), stopped] as const;
  expect(outcomes.map((outcome) => searching().when(settles(0, outcome)).events[0])).toMatchObject([
    { answer: { kind: 'fault', fault: { kind: 'refused', detail: 'no' } } },
    { answer: { kind: 'unknown', open: { call: 'files.write' } } },
    { answer: { kind: 'fault', fault: { kind: 'unanswered' } } },
  ]);
});

test('a cancel ends a run in every status once, and nothing that comes later changes it', () => {
  // It may come before the assignment: then the run never begins.
  given().when(cancels).thenKinds('run-cancelled').thenStatus('cancelled').when(assign('clerk')).thenEvents();
  const waiting = searching().when(settles(0, paused('?')));
  for (const told of [begun(), searching(), waiting]) {
    const ended = told
      .when(cancels)
      .thenKinds('run-cancelled')
      .thenStatus('cancelled')
      .thenAsks('task.settle');
    expect(ended.next[0]?.payload).toMatchObject({ results: [{ outcome: { kind: 'cancelled' } }] });
    ended.when(cancels).thenEvents();
    ended.when(settles(0, done(1), 2)).thenEvents();
    ended.when(modelSays({ text: 'x' }, { step: 1 })).thenEvents();
    ended.when(answers(0, 1, 2)).thenEvents();
  }
  begun().when(modelFails('invalid')).when(cancels).thenEvents();
  begun()
    .when(modelSays({ text: 'a', answer: { value: 1 } }))
    .when(cancels)
    .thenEvents();
});
