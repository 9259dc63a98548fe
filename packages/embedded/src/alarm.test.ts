import { expect, it } from 'vitest';
import { alarm } from './alarm.ts';
import { virtualClock } from './virtual-clock.ts';

const rung = () => {
  const clock = virtualClock();
  const at: number[] = [];
  return { clock, at, bell: alarm(clock, () => at.push(clock.monotonic())) };
};

it('rings at the earliest of the times it was set to', async () => {
  const { clock, at, bell } = rung();
  bell.set(100);
  bell.set(50);
  bell.set(70);
  await clock.advance(200);
  expect(at).toEqual([50]);
});

it('can be set again after it has rung', async () => {
  const { clock, at, bell } = rung();
  bell.set(50);
  await clock.advance(60);
  bell.set(100);
  bell.set(10);
  await clock.advance(200);
  expect(at).toEqual([50, 60]);
});

it('does not ring, and lets nothing sleep, once it is cleared', async () => {
  const { clock, at, bell } = rung();
  bell.set(50);
  bell.clear();
  await clock.advance(200);
  expect([at, clock.sleepers()]).toEqual([[], 0]);
});
