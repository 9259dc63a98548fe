import { Defect } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import { type RunEvent, readRunEvent } from './events.ts';
import { evolveRun, runMoves } from './evolve.ts';
import { type RunState, type RunStatus, runEnded } from './state.ts';
import { testAgents } from './testing/agents.ts';
import { assign, cancels, done, modelSays, paused, settles, start, toCall } from './testing/envelopes.ts';
import { storyOf, type Told } from './testing/story.ts';

const given = storyOf(runDecider(testAgents()));
const begun = given().when(assign('clerk'));
const calling = begun.when(modelSays({ calls: [toCall('files.search')] }));
const waiting = calling.when(settles(0, paused('?')));
const completed = begun.when(modelSays({ text: 'a', answer: { value: 1 } }));
const cancelled = begun.when(cancels);
const failed = calling
  .when(settles(0, done(1)))
  .when(assign('clerk'))
  .when(
    (state) =>
      ({
        ...modelSays({})(state),
        payload: { kind: 'failed', fault: { kind: 'invalid', detail: '' } },
      }) as never,
  ); // the union's members are told apart by `type`

const [started] = begun.events;
const at = start;
const model: RunEvent = { kind: 'model-replied', v: 1, text: '', calls: [], at };
const asked: RunEvent = { kind: 'model-asked', v: 1, turn: 0, at };
const sent: RunEvent = { kind: 'calls-sent', v: 1, calls: [0], at };
const back: RunEvent = {
  kind: 'call-returned',
  v: 1,
  call: 0,
  answer: { kind: 'output', output: { value: 1 } },
  at,
};
const pause: RunEvent = { kind: 'call-paused', v: 1, call: 0, question: '?', at };
const answer: RunEvent = { kind: 'answer-given', v: 1, call: 0, value: 1, by: 'ann', at };
const goal: RunEvent = { kind: 'run-completed', v: 1, answer: { value: 1 }, at };
const lost: RunEvent = {
  kind: 'run-failed',
  v: 1,
  end_reason: 'failed',
  fault: { kind: 'invalid', detail: '' },
  at,
};
const stop: RunEvent = { kind: 'run-cancelled', v: 1, at };
const anew: RunEvent = { kind: 'run-reopened', v: 1, attempt: 2, at };
const begin = started as RunEvent; // the story began with it

const taken = ({ state }: Told, event: RunEvent): RunState =>
  evolveRun(JSON.parse(JSON.stringify(state)), event);

/** What each status takes; everything else is a defect. */
const table: readonly (readonly [RunStatus, Told, readonly RunEvent[]])[] = [
  ['idle', given(), [begin, stop]],
  ['model_calling', begun, [model, goal, lost, stop]],
  ['tool_calling', calling, [back, pause, goal, lost, stop]],
  ['waiting', waiting, [answer, lost, stop]],
  ['completed', completed, []],
  ['failed', failed, [anew, begin]],
  ['cancelled', cancelled, [anew, begin]],
];

test.each(table)(
  'M4: a run that is %s takes what may happen to it, and nothing else',
  (status, told, may) => {
    told.thenStatus(status);
    for (const event of [begin, asked, model, sent, back, pause, answer, goal, lost, stop, anew]) {
      if (may.includes(event)) expect(() => taken(told, event)).not.toThrow();
      else expect(() => taken(told, event), event.kind).toThrow(Defect);
    }
  },
);

test('every status can be left for an end, and an end only for another attempt', () => {
  for (const [from, to] of Object.entries(runMoves)) {
    const ended = to.filter(runEnded);
    if (runEnded(from as RunStatus))
      expect(to.filter((status) => status !== 'idle')).toEqual([]); // a key of the table
    else expect(ended).toContain('cancelled');
  }
});

test('a reply is told of in its transition, and the last transitions are remembered', () => {
  expect(completed.state.transitions).toEqual([
    { from: 'idle', to: 'model_calling', by: 'model-asked', at },
    { from: 'model_calling', to: 'idle', by: 'model-replied', at },
    { from: 'idle', to: 'completed', by: 'run-completed', at },
  ]);
});

test('a stored event is read back as it was; what cannot be read is a defect', () => {
  for (const event of [...calling.journal, ...waiting.journal])
    expect(readRunEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  expect(() => readRunEvent({ kind: 'run-danced', v: 1, at })).toThrow(Defect);
  expect(() => readRunEvent({ ...asked, v: 2 })).toThrow(Defect);
});
