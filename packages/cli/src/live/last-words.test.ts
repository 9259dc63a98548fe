import type { TaskId } from '@foldmesh/envelope';
import { jobFold, recordOf } from '@foldmesh/job';
import { play, spec, task } from '@foldmesh/job/internal';
import { expect, test } from 'vitest';
import { lastWords } from './last-words.ts';

const { events } = play(spec([task('a'), task('b')], { split: 'always' }), () => ({ output: 1 }));

const tasksAfter = (count: number) => {
  const state = events
    .slice(0, count)
    .reduce((before, event) => jobFold.evolve(before, event), jobFold.initial());
  return recordOf(state, state.accepted_at, '').tasks;
};
const isOut = events.findIndex(({ kind }) => kind === 'tasks-assigned');
const underWay = tasksAfter(events.findLastIndex(({ kind }) => kind === 'tasks-assigned') + 1);

const piece = (id: string, at: number, text: string, step = 2) =>
  ({ kind: 'token-delta', task: id as TaskId, round: 1, step, at, text }) as const;

test('pieces join, and of several tasks the one that spoke last comes first', () => {
  const words = lastWords();
  words.hear(piece('a', 0, 'I look'));
  words.hear(piece('b', 0, 'So'));
  words.hear(piece('a', 6, ' it up'));
  expect(words.of(underWay)).toEqual([
    { task: 'a', text: 'I look it up' },
    { task: 'b', text: 'So' },
  ]);
});

test('a turn that begins anew, the next turn, and one of which something was lost, take the place of what was told', () => {
  const words = lastWords();
  const otherRound = { ...piece('a', 6, 'Again'), round: 2 };
  for (const next of [
    piece('a', 0, 'Again'),
    piece('a', 90, 'Again'),
    piece('a', 6, 'Again', 4),
    otherRound,
  ]) {
    words.hear(piece('a', 0, 'I look'));
    words.hear(next);
    expect(words.of(underWay)).toEqual([{ task: 'a', text: 'Again' }]);
  }
});

test('of a task that is not under way nothing is kept', () => {
  const words = lastWords();
  words.hear(piece('a', 0, 'I look'));
  words.hear(piece('ghost', 0, 'Boo'));
  expect(words.of(tasksAfter(isOut))).toEqual([]);
  expect(words.of(underWay)).toEqual([]);
});

test('it holds the end of a long turn, and only so many tasks', () => {
  const words = lastWords();
  for (let at = 0; at < 100_000; at += 1_000) words.hear(piece('a', at, 'x'.repeat(1_000)));
  expect(words.of(underWay)[0]?.text).toHaveLength(512);
  for (let n = 0; n < 100; n++) words.hear(piece(`t${n}`, 0, 'y'));
  expect(words.of(underWay)).toEqual([]);
});
