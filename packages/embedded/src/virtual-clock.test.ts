import { expect, it } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

it('stands still while nobody drives it, and jumps when nothing else can run', async () => {
  const clock = virtualClock({ startsAt: 1_000 });
  const log: string[] = [];
  const work = async () => {
    await clock.sleep(60_000);
    log.push(`woke at ${clock.now()}`);
  };
  const working = work();
  await clock.settle();
  expect([clock.now(), log]).toEqual([1_000, []]);
  await clock.run(working);
  expect([clock.now(), clock.monotonic(), log]).toEqual([61_000, 60_000, ['woke at 61000']]);
});

it('lets everything run dry between two timers of one instant, which fire in the order of their making', async () => {
  const clock = virtualClock();
  const log: string[] = [];
  const sleeper = async (name: string, ms: number) => {
    await clock.sleep(ms);
    log.push(name);
    for (let hop = 0; hop < 20; hop++) await Promise.resolve();
    log.push(`${name} went on`);
  };
  await clock.run(
    Promise.all([sleeper('late', 20), sleeper('first', 10), sleeper('second', 10), sleeper('at once', 0)]),
  );
  expect(log.filter((line) => !line.endsWith('on'))).toEqual(['at once', 'first', 'second', 'late']);
  for (const [at, line] of log.entries()) if (at % 2 === 1) expect(line).toBe(`${log[at - 1]} went on`);
});

it('advances through everything that falls due on the way, each at its own instant', async () => {
  const clock = virtualClock({ startsAt: 0 });
  const seen: number[] = [];
  const ticking = async () => {
    for (;;) {
      await clock.sleep(10);
      seen.push(clock.now());
    }
  };
  void ticking();
  await clock.advance(35);
  expect([seen, clock.now()]).toEqual([[10, 20, 30], 35]);
  await clock.advance(5);
  expect([seen, clock.now()]).toEqual([[10, 20, 30, 40], 40]);
});

it('wakes a sleeper when its signal aborts, at once where it already has, and keeps no timer of it', async () => {
  const clock = virtualClock({ startsAt: 0 });
  const stop = new AbortController();
  const sleeping = Promise.all([
    clock.sleep(1_000, stop.signal),
    clock.sleep(Number.POSITIVE_INFINITY, stop.signal),
  ]);
  await clock.settle();
  expect(clock.sleepers()).toBe(1);
  stop.abort();
  await sleeping;
  await clock.sleep(1_000, stop.signal);
  expect([clock.now(), clock.sleepers()]).toEqual([0, 0]);
});

it('passes on what the work answers and what it throws', async () => {
  const clock = virtualClock();
  expect(await clock.run(clock.sleep(10).then(() => 'done'))).toBe('done');
  const failing = clock.sleep(10).then(() => {
    throw new Error('on purpose');
  });
  await expect(clock.run(failing)).rejects.toThrow('on purpose');
});

it('says so when what it waits for can never come', async () => {
  const clock = virtualClock();
  await expect(clock.run(new Promise(() => {}))).rejects.toThrow('nothing is left to run');
});

it('says so when what it waits for does not come in time', async () => {
  const clock = virtualClock({ runMsMax: 1_000 });
  const ticking = async (): Promise<void> => {
    for (;;) await clock.sleep(10);
  };
  await expect(clock.run(ticking())).rejects.toThrow('1000 ms passed');
});

it('has one driver at a time', async () => {
  const clock = virtualClock();
  const nested = async () => {
    await clock.sleep(1);
    await clock.advance(1);
  };
  await expect(clock.run(nested())).rejects.toThrow('drives it already');
  await clock.advance(1);
});

it("waits for those who wait for the platform: a request's body is read before time goes on", async () => {
  const clock = virtualClock({ startsAt: 0 });
  const read = async () => {
    const request = new Request('http://mesh.test/', {
      method: 'POST',
      body: JSON.stringify({ goal: 'x'.repeat(100_000) }),
    });
    const { goal } = (await request.json()) as { goal: string }; // as sent
    const text = await new Response(goal).text();
    return [text.length, clock.now()];
  };
  void clock.sleep(1);
  expect(await clock.run(read())).toEqual([100_000, 0]);
});
