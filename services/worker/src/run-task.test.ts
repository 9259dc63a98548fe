import { type Fault, fault, type Json, type TaskPart } from '@foldmesh/envelope';
import { callOf, fakeHost, fakePorts, keyAt, spanSink } from '@foldmesh/runtime/internal';
import { defineSkill, failed, type Skill, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { taskRunner } from './run-task.ts';
import type { ToolAnswer, ToolCaller } from './tool-caller.ts';

const partOf = (kind: 'skill' | 'tool' | 'pipeline', name: string, inline?: Json): TaskPart => ({
  key: keyAt(1),
  run: { kind, name, ...(inline !== undefined && { inline }) },
  input: null,
});

const bench = (
  skills: readonly Skill[] = [],
  answers: (input: Json) => ToolAnswer | Promise<ToolAnswer> = (output) => ({ kind: 'done', output }),
) => {
  const fake = fakePorts();
  const signals: AbortSignal[] = [];
  const tools: ToolCaller = {
    async call(_, asked, { signal }) {
      signals.push(signal);
      return answers(asked.type === 'tool.call' ? asked.payload.input : null);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const pipelines = new Map<string, Json>([
    ['named', { steps: [{ kind: 'render', ref: 't', output_keys: ['x'] }], templates: { t: 'rendered' } }],
  ]);
  const run = taskRunner(
    fakeHost(fake),
    { skills: new Map(skills.map((skill) => [skill.name, skill])), pipelines },
    tools,
  );
  return {
    fake,
    signals,
    run: (part: TaskPart, input: Json = null) =>
      run(part, input, callOf({ deadline: fake.clock.now() + 600_000 })),
  };
};

const skill = (run: Skill['run'], timeoutMs?: number): Skill =>
  defineSkill({ name: 'a', input: z.unknown(), run, ...(timeoutMs !== undefined && { timeoutMs }) } as never); // any input will do

const faultOf = async (run: Skill['run']): Promise<Fault | undefined> => {
  const { ran } = await bench([skill(run)]).run(partOf('skill', 'a'));
  return ran.kind === 'failed' ? ran.fault : undefined;
};

describe('a task', () => {
  it('that is a skill runs it on its input, and says how many tools it called', async () => {
    const calling = skill(async (input, call) => [await call.tool('t', input), await call.tool('t', 2)]);
    expect(await bench([calling]).run(partOf('skill', 'a'), 'x')).toEqual({
      ran: { kind: 'done', output: ['x', 2] },
      toolCalls: 2,
    });
  });

  it('that is a single tool is one call of it', async () => {
    expect(await bench().run(partOf('tool', 'files.read'), { path: 'a' })).toEqual({
      ran: { kind: 'done', output: { path: 'a' } },
      toolCalls: 1,
    });
  });

  it('that fails on purpose fails with that; what breaks by itself is invalid, and says where', async () => {
    const throttled = await faultOf(async () => {
      throw failed('throttled', 'busy', 50);
    });
    expect(throttled).toEqual(fault('throttled', 'busy', { retry_after_ms: 50 }));
    const broken = await faultOf(async () => {
      throw new TypeError('undefined is not a function');
    });
    expect(broken).toMatchObject({ kind: 'invalid', source: 'skill' });
    expect(broken?.detail).toContain('a threw: TypeError: undefined is not a function');
    expect(broken?.detail).toContain('run-task.test.ts');
    const odd = await faultOf(async () => {
      // biome-ignore lint/style/useThrowOnlyError: a skill may throw anything.
      throw 'odd';
    });
    expect(odd?.detail).toBe('a threw: odd');
  });

  it('whose call has an unknown outcome is unknown, whatever the skill returned', async () => {
    const open = { call: 'c', detail: 'd' };
    const hopeful = skill(async (_, call) => {
      await call.tryTool('t', 1);
      return 'all good';
    });
    const { run } = bench([hopeful], () => ({ kind: 'unknown', open }));
    expect(await run(partOf('skill', 'a'))).toEqual({ ran: { kind: 'unknown', open }, toolCalls: 1 });
  });

  it('that this worker does not know goes back: somebody else in its pool may', async () => {
    for (const part of [partOf('skill', 'nobody'), partOf('pipeline', 'nobody')])
      expect((await bench().run(part)).ran).toMatchObject({
        kind: 'failed',
        fault: { kind: 'unavailable', source: 'definitions', retry_after_ms: 3_000 },
      });
  });

  it("runs out of time after its skill's own, and may have another attempt then", async () => {
    const endless = skill(() => new Promise(() => {}), 2_000);
    const { fake, run } = bench([endless]);
    const running = run(partOf('skill', 'a'));
    await fake.clock.pass(3_000);
    expect((await running).ran).toMatchObject({
      kind: 'failed',
      fault: { source: 'timeout', retry_after_ms: 0 },
    });
  });

  it('ends what its skill has begun and not waited for', async () => {
    const careless = skill(async (_, call) => {
      void call.tryTool('t', 1);
      return 'done';
    });
    const { run, signals } = bench([careless], () => new Promise(() => {}));
    expect((await run(partOf('skill', 'a'))).ran).toMatchObject({ kind: 'done' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('that this worker lacks goes back as often as it comes, and is warned of once', async () => {
    const { fake, run } = bench();
    for (const name of ['b', 'b', 'c'])
      expect((await run(partOf('skill', name))).ran).toMatchObject({
        fault: { kind: 'unavailable', source: 'definitions', detail: `this worker has no skill ${name}` },
      });
    const warned = fake.lines.filter((line) => line.startsWith('warn handed back'));
    expect(warned.map((line) => /skill ./.exec(line)?.[0])).toEqual(['skill b', 'skill c']);
  });

  it('is one span and one line in the log, named by what it runs', async () => {
    using sink = spanSink();
    const { fake, run } = bench();
    await run(partOf('tool', 'files.read'));
    expect(sink.named('run').map(({ name, ends }) => [name, ends])).toEqual([['run tool files.read', 1]]);
    expect(fake.lines.filter((line) => line.includes('run tool files.read')).length).toBe(1);
  });
});
