import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { clockOffset, sampleOf, timeOf } from './clock-offset.ts';
import { redisLimits } from './settings.ts';

it('half of the trip is taken for the way there', () => {
  expect(sampleOf(1_000, 40, 6_020)).toEqual({ offsetMs: 5_000, tripMs: 40 });
});

it('whatever the ways there and back take, it is wrong by at most half of the trip', () => {
  const ways = fc.record({
    offset: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
    there: fc.integer({ min: 0, max: 10_000 }),
    back: fc.integer({ min: 0, max: 10_000 }),
  });
  const bounded = fc.property(ways, ({ offset, there, back }) => {
    const askedAt = 1_800_000_000_000;
    const { offsetMs } = sampleOf(askedAt, there + back, askedAt + there + offset);
    expect(Math.abs(offsetMs - offset)).toBeLessThanOrEqual((there + back) / 2);
  });
  void fc.assert(bounded);
});

it('of the last samples the one with the shortest trip counts', () => {
  const offset = clockOffset();
  expect(offset.ms()).toBe(0);
  offset.add({ offsetMs: 100.4, tripMs: 10 });
  offset.add({ offsetMs: 900, tripMs: 500 });
  expect(offset.ms()).toBe(100);
  offset.add({ offsetMs: 90, tripMs: 2 });
  expect(offset.ms()).toBe(90);
});

it('a good sample that has become old gives way to worse ones: clocks drift', () => {
  const offset = clockOffset();
  offset.add({ offsetMs: 100, tripMs: 1 });
  for (let later = 1; later < redisLimits.clockSamplesMax; later++) offset.add({ offsetMs: 50, tripMs: 9 });
  expect(offset.ms()).toBe(100);
  offset.add({ offsetMs: 50, tripMs: 9 });
  expect(offset.ms()).toBe(50);
});

it('another server has another clock; until it has told it, the last one stands', () => {
  const offset = clockOffset();
  offset.add({ offsetMs: 100, tripMs: 1 });
  offset.forget();
  expect(offset.ms()).toBe(100);
  offset.add({ offsetMs: -7, tripMs: 30 });
  expect(offset.ms()).toBe(-7);
});

it('a reply is seconds and microseconds', () => {
  expect(timeOf(['1800000000', '250500'])).toBe(1_800_000_000_250.5);
});
