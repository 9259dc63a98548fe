import { fail, fault, Key as KeySchema, ok } from '@foldmesh/envelope';
import { defineSkill, failed, type Skill, type SkillCall, SkillFault, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { runSkill } from './skill-run.ts';
import { doNothing, runOf } from './testing/skill-bench.ts';

describe('the calls of a skill', () => {
  it('are numbered as they are made, below the key of their task', async () => {
    const { calls, asked } = runOf();
    expect([await calls.tool('a.b', 1), await calls.tryTool('a.b', 2)]).toEqual([1, ok(2)]);
    expect(asked.map(({ key, tool }) => [key, tool])).toEqual([
      ['acme/j-1/task/1/0/0', 'a.b'],
      ['acme/j-1/task/1/1/0', 'a.b'],
    ]);
  });

  it('in branches have numbers of their own: the order in which branches get on does not matter', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { calls, steps } = runOf();
    await calls.tool('t', 0);
    const all = calls.all(
      gates.map((gate, branch) => async (call: SkillCall) => {
        await gate.promise;
        await call.tool('t', branch);
        return call.tool('t', `${branch} again`);
      }),
    );
    gates[1]?.resolve();
    await Promise.resolve();
    gates[0]?.resolve();
    expect(await all).toEqual(['0 again', '1 again']);
    await calls.tool('t', 9);
    expect(steps().toSorted()).toEqual(['0', '1-0-0', '1-0-1', '1-1-0', '1-1-1', '2']);
  });

  it('of a skill within it are numbered below its own', async () => {
    const inner = defineSkill({
      name: 'inner',
      input: z.string(),
      run: (input, call) => call.tool('t', input),
    });
    const { calls, steps } = runOf({}, undefined, [inner]);
    expect([await calls.invoke('inner', 'x'), await calls.tool('t', 'y')]).toEqual(['x', 'y']);
    expect(steps()).toEqual(['0-0-0', '1']);
    await expect(calls.invoke('nobody', 1)).rejects.toThrow('there is no skill nobody here');
  });

  it('go four levels deep, where every number still makes a key, and no deeper', async () => {
    const nested: Skill = defineSkill({
      name: 'nested',
      input: z.number(),
      run: async (levels, call): Promise<unknown> =>
        levels === 0 ? call.tool('t', 'deep') : call.invoke('nested', levels - 1),
    });
    const { calls, asked } = runOf({}, undefined, [nested]);
    expect(await calls.invoke('nested', 3)).toBe('deep');
    expect(asked.every(({ key }) => KeySchema.safeParse(key).success)).toBe(true);
    await expect(calls.invoke('nested', 4)).rejects.toThrow('at most 4 deep');
  });

  it('are counted, whatever comes of them', async () => {
    const { calls, run } = runOf({}, () => ({ kind: 'failed', fault: fault('refused', 'no') }));
    await calls.tryTool('t', 1);
    await calls.tryTool('t', 2);
    expect(run.toolCalls).toBe(2);
  });
});

describe('a call that fails', () => {
  it('throws its fault, or is a value where it is asked for as one', async () => {
    const refused = fault('refused', 'no', { source: 'tool' });
    const { calls } = runOf({}, () => ({ kind: 'failed', fault: refused }));
    await expect(calls.tool('t', 1)).rejects.toMatchObject({ fault: refused });
    expect(await calls.tryTool('t', 1)).toEqual(fail(refused));
  });

  it('of an unknown outcome ends the task, whatever its skill makes of it', async () => {
    const open = { call: 'bank.pay 5', detail: 'no word' };
    const { calls, run, asked } = runOf({}, () => ({ kind: 'unknown', open }));
    expect(await calls.tryTool('bank.pay', 5)).toMatchObject({ ok: false, fault: { kind: 'unanswered' } });
    expect(run.end).toEqual({ kind: 'unknown', open });
    expect(await calls.tryTool('bank.pay', 6)).toMatchObject({
      ok: false,
      fault: { detail: 'the task has ended' },
    });
    expect(asked.length).toBe(1);
  });

  it('because it was cancelled says so', async () => {
    const { calls } = runOf({}, () => ({ kind: 'cancelled' }));
    expect(await calls.tryTool('t', 1)).toMatchObject({
      fault: { kind: 'unanswered', detail: 'the call was cancelled' },
    });
  });

  it('is not made at all once the task was told to stop', async () => {
    const stopped = AbortSignal.abort('cancelled');
    const { calls, asked } = runOf({ signal: stopped });
    expect([(await calls.tryTool('t', 1)).ok, asked]).toEqual([false, []]);
  });
});

describe('branches', () => {
  it('run as wide as they are told', async () => {
    let atOnce = 0;
    let most = 0;
    const { calls } = runOf({}, async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await Promise.resolve();
      atOnce -= 1;
      return { kind: 'done', output: null };
    });
    const branches = Array.from({ length: 7 }, (_, n) => async (call: SkillCall) => {
      await call.tool('t', n);
      return n;
    });
    expect(await calls.all(branches, 2)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(most).toBe(2);
    expect(await calls.all([])).toEqual([]);
  });

  it('stop each other at the first failure, which is the one that counts', async () => {
    const { calls, asked } = runOf({}, ({ input }) =>
      input === 'bad' ? { kind: 'failed', fault: fault('refused', 'bad') } : new Promise(() => {}),
    );
    const signals: AbortSignal[] = [];
    const all = calls.all(
      [
        async (call) => {
          signals.push(call.signal);
          await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
          throw failed('unanswered', 'told to stop');
        },
        (call) => call.tool('t', 'bad'),
        (call) => call.tool('t', 'never'),
      ],
      2,
    );
    await expect(all).rejects.toThrow('refused: bad');
    expect([signals[0]?.aborted, asked.map(({ input }) => input)]).toEqual([true, ['bad']]);
  });

  it('stop when their task is told to', async () => {
    const stop = new AbortController();
    const { calls } = runOf({ signal: stop.signal }, doNothing);
    const all = calls.all(
      [
        async (call) => {
          await call.tool('t', 1);
          stop.abort('cancelled');
          return null;
        },
        (call) => call.tool('t', 2),
      ],
      1,
    );
    await expect(all).rejects.toThrow('stopped before all branches had run');
  });
});

describe('a skill', () => {
  const double = defineSkill({
    name: 'double',
    input: z.strictObject({ n: z.number() }),
    output: z.number(),
    run: async ({ n }) => n * 2,
  });

  it('gets an input that was checked, and gives an output that was', async () => {
    const { calls } = runOf();
    expect(await runSkill(double, { n: 2 }, calls)).toBe(4);
    await expect(runSkill(double, { n: 'two' }, calls)).rejects.toThrow('input of double: n: ');
    const liar = defineSkill({
      name: 'double',
      input: double.input,
      output: z.string(),
      run: async () => 1 as never,
    }); // it lies
    await expect(runSkill(liar, { n: 2 }, calls)).rejects.toThrow('output of double: ');
  });

  it('gives JSON, whatever it returns', async () => {
    const { calls } = runOf();
    const giving = (value: unknown): Skill =>
      defineSkill({ name: 'give', input: z.unknown(), run: async () => value });
    expect(await runSkill(giving(undefined), null, calls)).toBeNull();
    expect(await runSkill(giving({ at: new Date(0), skip: undefined }), null, calls)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
    });
    const round: { self?: unknown } = {};
    round.self = round;
    await expect(runSkill(giving(round), null, calls)).rejects.toThrow(SkillFault);
    await expect(runSkill(giving(1n), null, calls)).rejects.toThrow('output of give is no JSON');
  });
});
