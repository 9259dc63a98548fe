import { decodeJson, type JobId, type Key, liveSubject, type TenantId, TokenDelta } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { tokenTeller } from './tell-tokens.ts';

const key = 'tenant/job/write/1/7/1' as Key;

/** A teller, its clock, and what was told on the subject of its job. */
const scene = () => {
  const time = { now: 0 };
  const told: TokenDelta[] = [];
  const over = new AbortController();
  const bus = {
    cast(subject: string, body: Uint8Array) {
      expect(subject).toBe(liveSubject('tenant' as TenantId, 'job' as JobId));
      const news = decodeJson(body, 16 * 1024);
      told.push(TokenDelta.parse(news.ok && news.value));
    },
  };
  const ports = { bus, clock: { monotonic: () => time.now } } as never; // no more of either is used
  return { time, told, over, teller: tokenTeller(ports, key, over.signal) };
};

test('what comes within a moment is told together, and the rest at the end', () => {
  const { time, told, teller } = scene();
  for (const word of ['One', ' two', ' three']) teller.hear(word);
  expect(told).toEqual([{ kind: 'token-delta', task: 'write', round: 1, step: 7, at: 0, text: 'One' }]);
  time.now = 50;
  teller.hear(' four');
  teller.hear(' five');
  teller.end();
  teller.end();
  expect(told.map(({ at, text }) => [at, text])).toEqual([
    [0, 'One'],
    [3, ' two three four'],
    [18, ' five'],
  ]);
});

test('pieces join to what was said, however long it is and wherever it was cut', () => {
  const { told, teller } = scene();
  const text = '👩‍🚀 go '.repeat(2_000);
  for (let from = 0; from < text.length; from += 701) teller.hear(text.slice(from, from + 701));
  teller.end();
  let joined = '';
  for (const { at, text: piece } of told) {
    expect(at).toBe(joined.length);
    expect(piece.length).toBeLessThanOrEqual(2_048);
    joined += piece;
  }
  expect(joined).toBe(text);
});

test('half a character that nothing comes after is told by the sign for a lost one', () => {
  const { told, teller } = scene();
  teller.hear('\uD83D');
  expect(told).toEqual([]);
  teller.end();
  expect(told.map(({ text }) => text)).toEqual(['\uFFFD']);
});

test('what is said after its try is over is told to nobody', () => {
  const { time, told, over, teller } = scene();
  teller.hear('One');
  teller.hear(' two');
  over.abort();
  time.now = 1_000;
  teller.hear(' three');
  teller.end();
  expect(told.map(({ text }) => text)).toEqual(['One']);
});
