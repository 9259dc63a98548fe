import { type Fault, fail, fault, ok, type Result } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import type { Call } from '../call.ts';
import { callOf } from '../testing/fake-host.ts';
import { handClock } from '../testing/hand-clock.ts';
import { retry, retrySettings } from './retry.ts';

/** Meets these answers one after the other; says what came of it, how often it was tried, and how long that took. */
const tried = async (answers: readonly Result<string>[], of: Partial<Call> = {}, draw = 0.999_999) => {
  const clock = handClock();
  let tries = 0;
  const handler = retry<string, string>(clock, { float: () => draw, hex: () => '' })(async () => {
    const answer = answers[Math.min(tries, answers.length - 1)];
    tries += 1;
    return answer ?? ok('none');
  });
  let took = -1;
  const result = handler('ask', callOf(of)).then((answer) => {
    took = clock.monotonic();
    return answer;
  });
  await clock.pass(60_000);
  return { result: await result, tries, took: Math.round(took), sleepers: clock.sleepers() };
};

const faulty = (kind: Fault['kind'], retry_after_ms?: number) =>
  fail(fault(kind, kind, retry_after_ms === undefined ? {} : { retry_after_ms }));

describe('a retry', () => {
  it('tries what says later, at most three times, with a growing wait', async () => {
    const again = faulty('unavailable', 0);
    expect(await tried([again])).toEqual({ result: again, tries: 3, took: 300, sleepers: 0 });
    expect(await tried([again, ok('done')])).toMatchObject({ result: ok('done'), tries: 2, took: 100 });
  });

  it('spreads its waits over the whole time, down to none', async () => {
    expect(await tried([faulty('unavailable', 0)], {}, 0)).toMatchObject({ tries: 3, took: 0 });
  });

  it('never tries what does not say later', async () => {
    for (const kind of ['invalid', 'refused', 'overflow', 'unanswered'] as const)
      expect((await tried([faulty(kind)])).tries).toBe(1);
  });

  it('waits as long as it is told, up to two seconds, and no more than as long again', async () => {
    const answers = [faulty('throttled', 2_000), ok('done')];
    expect(await tried(answers, {}, 0)).toMatchObject({ tries: 2, took: 2_000 });
    expect(await tried(answers)).toMatchObject({ tries: 2, took: 4_000 });
  });

  it('lets a longer wait pass through, so that the host hands the message back until then', async () => {
    const long = faulty('throttled', retrySettings.waitMsMax + 1);
    expect(await tried([long, ok('done')], {}, 0)).toMatchObject({ result: long, tries: 1, took: 0 });
  });

  it('spreads what was told to many over as long again, where there is time for twice that', async () => {
    const long = faulty('throttled', 5_000);
    const waitOf = async (draw: number, leftMs: number) => {
      const { result } = await tried([long], { deadline: handClock().now() + leftMs }, draw);
      return result.ok ? undefined : result.fault.retry_after_ms;
    };
    expect(await waitOf(0.4, 60_000)).toBe(7_000);
    expect(await waitOf(0.999_999, 60_000)).toBe(10_000);
    expect(await waitOf(0.999_999, 6_000)).toBe(5_500);
    expect(await waitOf(0.999_999, 4_000)).toBe(5_000);
  });

  it('does not begin what could not begin before the deadline', async () => {
    const again = faulty('throttled', 1_000);
    const deadline = handClock().now() + 1_000;
    expect(await tried([again, ok('late')], { deadline })).toMatchObject({ result: again, tries: 1 });
    expect((await tried([again, ok('in time')], { deadline: deadline + 1 })).tries).toBe(2);
  });

  it('ends when it is told to stop, also in the middle of a wait', async () => {
    const stopped = new AbortController();
    stopped.abort();
    expect((await tried([faulty('unavailable', 0)], { signal: stopped.signal })).tries).toBe(1);
    const clock = handClock();
    const later = new AbortController();
    let tries = 0;
    const result = retry<string, string>(clock, { float: () => 0, hex: () => '' })(async () => {
      tries += 1;
      return faulty('throttled', 1_500);
    })('ask', callOf({ signal: later.signal }));
    await clock.pass(500);
    later.abort();
    expect([await result, tries, clock.sleepers()]).toEqual([faulty('throttled', 1_500), 1, 0]);
  });
});
