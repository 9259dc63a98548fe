import type { Json } from '@foldmesh/envelope';
import { takeTurn, timeRatio } from '@foldmesh/ports/internal';
import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import type { RunEvent } from './events.ts';
import { carriedBy, historyOf, resultText } from './history.ts';
import type { RunState } from './state.ts';
import { testAgents } from './testing/agents.ts';
import { assign, done, modelSays, settles, start, toCall } from './testing/envelopes.ts';

/** Ten times the turns may take fifteen times as long; a square would take a hundred times. */
const slack = 1.5;
const turnsMax = 1_000;

const decider = runDecider(testAgents({ limits: { turns: turnsMax, parallel: 2, group_ms: 1_000 } }));

/** Plays a run of so many turns, each with a few calls. */
const play = (turns: number, words = 'looking', watch: (state: RunState) => void = () => undefined) => {
  let state = decider.initial();
  const journal: RunEvent[] = [];
  const take = (mail: ReturnType<typeof modelSays>): void => {
    const turn = takeTurn(decider, state, [mail(state)], start);
    state = turn.state;
    journal.push(...turn.events);
    watch(state);
  };
  take(assign('clerk'));
  for (let turn = 1; turn < turns; turn++) {
    const text: Json = { text: 'a question of some length'.repeat(4) };
    take(modelSays({ text: words, calls: [1, 2, 3].map(() => toCall('files.search', text)) }));
    for (let call = 0; call < 3; call++) take(settles(call, done('hit'.repeat(80))));
  }
  take(modelSays({ text: 'found', answer: { value: 'found' } }));
  expect(state.end?.reason).toBe('goal');
  return journal;
};

const ratio = (small: () => void, large: () => void, rounds: number): number =>
  timeRatio(() => performance.now(), { small, large, rounds, enough: slack });

test('ten times the turns take ten times as long to decide', { timeout: 60_000 }, () => {
  expect(
    ratio(
      () => play(100),
      () => play(1_000),
      5,
    ),
  ).toBeLessThan(slack);
});

test('ten times the turns take ten times as long to fold, and to put into words', { timeout: 60_000 }, () => {
  const [short, long] = [play(100), play(1_000)];
  const fold = (journal: readonly RunEvent[]) => () => void journal.reduce(decider.evolve, decider.initial());
  expect(ratio(fold(short), fold(long), 60)).toBeLessThan(slack);
  const words = (journal: readonly RunEvent[]) => () => {
    for (const message of historyOf(journal, 'x'))
      if (message.role === 'tool') resultText(message.answer, carriedBy(message.answer) as never); // its text is all that counts here
  };
  expect(ratio(words(short), words(long), 60)).toBeLessThan(slack);
});

test('the state of a run is small, and no larger after a thousand turns than after fifty', () => {
  const largest = (turns: number): number => {
    let most = 0;
    play(turns, 'x'.repeat(4_000), (state) => {
      most = Math.max(most, JSON.stringify(state).length);
    });
    return most;
  };
  const [few, many] = [largest(50), largest(turnsMax)];
  expect(many).toBeLessThan(8 * 1_024);
  // Ordinals have more digits.
  expect(many - few).toBeLessThan(64);
});
