import { encodeJson, fault, fingerprint, type Key, limits, ok } from '@foldmesh/envelope';
import type { Grip } from '@foldmesh/ports';
import type { Ran } from '@foldmesh/runtime';
import { type Delivered, keyAt } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';

import { carryBench, done, outcomes, part, resultsOf, value } from './testing/carry-bench.ts';

describe('an assignment', () => {
  it('of one task is claimed and settled under its own key', async () => {
    const { fake, carry } = carryBench([part('a')]);
    const verdict = await carry({ attempt: 2 });
    expect(verdict).toMatchObject({
      kind: 'answer',
      draft: { type: 'task.settle', key: keyAt(2, 'a'), attempt: 2 },
    });
    expect(resultsOf(verdict)).toMatchObject([
      {
        key: keyAt(2, 'a'),
        attempt: 2,
        outcome: value('a'),
        worker: 'worker.default-1',
        started_at: fake.clock.now(),
      },
    ]);
    expect(fake.given('inbox.claim')[0]?.[0]).toMatchObject({
      key: keyAt(2, 'a'),
      print: fingerprint('task.assign', { tasks: [part('a')] }),
      label: 'skill work (a)',
    });
  });

  it('of several works them off in order, each under its own key and attempt, and settles them as one', async () => {
    const { fake, carry } = carryBench(
      [part('a'), part('b'), part('c')],
      {},
      undefined,
      (index) => index + 1,
    );
    const verdict = await carry();
    expect(verdict).toMatchObject({ draft: { key: keyAt(2, '_job') } });
    expect(resultsOf(verdict).map(({ key, attempt }) => [key, attempt])).toEqual([
      [keyAt(2, 'a'), 1],
      [keyAt(2, 'b'), 2],
      [keyAt(2, 'c'), 3],
    ]);
    const claims = fake.given('inbox.claim').map(([request]) => (request as { key: Key }).key); // a claim's request
    expect(claims).toEqual([keyAt(2, 'a'), keyAt(2, 'b'), keyAt(2, 'c')]);
  });

  it('has all its claims asked for at once, unless some of it may have been begun before', async () => {
    const claimed = async (attempt: number, how: Delivered = {}): Promise<number | undefined> => {
      const { fake, carry } = carryBench([part('a'), part('b'), part('c')], {}, undefined, () => attempt);
      const before: number[] = [];
      const note = (answer: Grip) => async () => {
        before.push(fake.given('inbox.claim').length);
        return ok(answer);
      };
      fake.answer('inbox.complete', note('held'));
      // What the journal no longer waits for is given up.
      fake.answer('inbox.release', note('held'));
      await carry({}, how);
      return before[0];
    };
    expect([await claimed(1), await claimed(2), await claimed(1, { redelivered: true })]).toEqual([3, 1, 1]);
  });

  it('hands each task what those before it made', async () => {
    const { carry, asked } = carryBench([part('a'), part('b', { input: { from: '${tasks.a.output}' } })], {
      a: () => done({ n: 1 }),
    });
    await carry();
    expect(asked[1]?.input).toEqual({ from: { n: 1 } });
  });

  it('settles at the first task that is not completed: what lies behind has not begun', async () => {
    const { carry, asked } = carryBench([part('a'), part('b'), part('c')], {
      b: () => ({ kind: 'failed', fault: fault('refused', 'no') }),
    });
    expect(outcomes(await carry())).toEqual([value('a'), { kind: 'failed', fault: fault('refused', 'no') }]);
    expect(asked.length).toBe(2);
  });

  it('says what is done when its worker is shutting down, and leaves the rest', async () => {
    const stops: { stop?: () => void } = {};
    const { carry, host } = carryBench([part('a'), part('b')], {
      a: () => {
        stops.stop?.();
        return done('a');
      },
    });
    stops.stop = host.stopIntake;
    expect(outcomes(await carry())).toEqual([value('a')]);
    // But the first is begun whatever happens: an assignment that says nothing is none.
    expect(outcomes(await carry())).toEqual([value('a')]);
  });

  it('goes back as a whole where one of its tasks is in other hands, and is silent where nobody wants it any more', async () => {
    const { fake, carry } = carryBench([part('a'), part('b')]);
    fake.answer(
      'inbox.claim',
      ok({ kind: 'won', token: 1, strikes: 0, tries: 0, fresh: true }),
      ok({ kind: 'held', leaseLeftMs: 800 }),
    );
    expect(await carry()).toEqual({ kind: 'hand_back', delayMs: 800 });
    expect(await carry({}, { redelivered: true })).toEqual({ kind: 'silent', ack: true });
  });
});

describe('a result', () => {
  it('is large by reference', async () => {
    const large = 'x'.repeat(limits.resultBytesInlineMax);
    const { carry } = carryBench([part('a')], { a: () => done(large) });
    expect(outcomes(await carry())).toMatchObject([{ output: { ref: { bytes: encodeJson(large).length } } }]);
  });

  it('says what others will need of it, how many tools were called, and who had it from when to when', async () => {
    const probes = [['list'], ['none']];
    const { fake, carry } = carryBench([part('calls', { probes })], {
      calls: async () => {
        await fake.clock.sleep(500);
        return done({ list: [1, 2] });
      },
    });
    const carried = carry();
    await fake.clock.pass(500);
    const now = fake.clock.now();
    expect(resultsOf(await carried)).toMatchObject([
      {
        probed: [{ length: 2 }, { missing: 'no none; the keys there are list' }],
        usage: { tool_calls: 3 },
        started_at: now - 500,
        ended_at: now,
      },
    ]);
    expect(fake.given('inbox.complete')[0]?.[1]).toMatchObject({ extra: { usage: { tool_calls: 3 } } });
  });

  it('that is stored is said again as it was, with who had it then', async () => {
    const { fake, carry, asked } = carryBench([part('a')]);
    const extra = { worker: 'another', started_at: 5, ended_at: 6, usage: { tool_calls: 1 } };
    fake.answer('inbox.claim', ok({ kind: 'settled', outcome: { outcome: value('before'), extra } }));
    expect(resultsOf(await carry())).toEqual([
      { key: keyAt(2, 'a'), attempt: 1, outcome: value('before'), ...extra },
    ]);
    expect(asked).toEqual([]);
  });

  it('of an input that cannot be is invalid; of one that lies where nobody answers there is none', async () => {
    const broken = carryBench([part('a', { input: '${tasks.ghost.output}' })]);
    expect(outcomes(await broken.carry())).toMatchObject([{ kind: 'failed', fault: { kind: 'invalid' } }]);
    const ref = { digest: fingerprint('tool.call', 1), bytes: 5 };
    const far = carryBench([part('a', { input: '${inputs.x}' })], {}, { 'inputs.x': { ref } });
    const away = { ok: false, fault: fault('unavailable', 'away', { retry_after_ms: 100 }) } as const;
    far.fake.answer('blobs.get', away);
    expect(await far.carry()).toEqual({ kind: 'hand_back', delayMs: 3_000 });
    expect(far.asked).toEqual([]);
  });
});

describe('a task that nobody may run', () => {
  it('because it has struck out is a dead letter and a failed result; its neighbours before it count', async () => {
    const { fake, carry } = carryBench([part('a'), part('b')]);
    fake.answer(
      'inbox.claim',
      ok({ kind: 'won', token: 1, strikes: 0, tries: 0, fresh: true }),
      ok({ kind: 'struck', strikes: 4 }),
    );
    const verdict = await carry();
    expect(verdict).toMatchObject({
      park: { strikes: 4, reason: 'skill work (b): struck out, 4 tries ended without a word' },
    });
    expect(outcomes(verdict)).toMatchObject([value('a'), { kind: 'failed', fault: { source: 'strikes' } }]);
  });

  it('because its key was used for another is one, too, and names both', async () => {
    const { fake, carry } = carryBench([part('a')]);
    fake.answer('inbox.claim', ok({ kind: 'reused', label: 'skill other (a)' }));
    const detail = `key ${keyAt(2, 'a')} reused with different content: first skill other (a), now skill work (a)`;
    const verdict = await carry();
    expect(verdict).toMatchObject({ park: { reason: detail, strikes: 0 } });
    expect(outcomes(verdict)).toEqual([
      { kind: 'failed', fault: fault('invalid', detail, { source: 'key_reused' }) },
    ]);
  });

  it('is not one of whose calls one lay too long: that is a try, and another attempt does not meet it again', async () => {
    const late = (kind: 'unavailable' | 'unanswered'): Ran => ({
      kind: 'failed',
      fault: fault(kind, 'past its deadline', { source: 'expired' }),
    });
    const { fake, carry } = carryBench([part('a')], { a: () => late('unavailable') });
    expect(outcomes(await carry())).toMatchObject([
      { kind: 'failed', fault: { kind: 'unavailable', source: 'call', retry_after_ms: 0 } },
    ]);
    expect([fake.given('inbox.release')[0]?.[1], fake.given('inbox.complete')]).toEqual(['try', []]);
    const unanswered = carryBench([part('a')], { a: () => late('unanswered') });
    const [outcome] = outcomes(await unanswered.carry());
    expect(outcome).toEqual({
      kind: 'failed',
      fault: fault('unanswered', 'past its deadline', { source: 'call' }),
    });
  });

  it('because its deadline has passed may be tried again, also where it was begun before: its calls are claimed', async () => {
    for (const how of [{}, { redelivered: true }]) {
      const { fake, carry, asked } = carryBench([part('a')]);
      const verdict = await carry({ deadline: fake.clock.now() }, how);
      expect(outcomes(verdict)).toMatchObject([
        { kind: 'failed', fault: { kind: 'unavailable', source: 'expired' } },
      ]);
      expect(asked).toEqual([]);
    }
  });
});
