import { handClock } from '@foldmesh/runtime/internal';
import type { SkillCall } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { debugSkills } from './debug-skills.ts';

const bench = (exit?: (code: number) => void) => {
  const clock = handClock();
  const skills = new Map(debugSkills({ clock, exit }).map((skill) => [skill.name, skill]));
  const run = (name: string, input: unknown, of: Partial<SkillCall> = {}): Promise<unknown> => {
    const skill = skills.get(name);
    if (skill === undefined) throw new Error(`no ${name}`);
    const signal = of.signal ?? new AbortController().signal;
    const call = { attempt: 1, signal, sleep: (ms: number) => clock.sleep(ms, signal), ...of } as SkillCall; // they use nothing else
    return skill.run(skill.input.parse(input) as never, call); // its own schema's type
  };
  return { clock, run };
};

describe('debug skills', () => {
  it('echo', async () => {
    expect(await bench().run('debug.echo', { any: ['thing'] })).toEqual({ any: ['thing'] });
  });

  it('sleep for as long as they are told, and say when they were stopped', async () => {
    const { clock, run } = bench();
    const slept = run('debug.sleep', { ms: 500, note: 'x' });
    await clock.pass(500);
    expect(await slept).toEqual({ ms: 500 });
    const stop = new AbortController();
    const stopped = run('debug.sleep', { ms: 500 }, { signal: stop.signal });
    stop.abort();
    await expect(stopped).rejects.toThrow('unanswered: stopped while waiting');
    expect(() => run('debug.sleep', { ms: -1 })).toThrow();
  });

  it('fail as they are told, so many times', async () => {
    const { run } = bench();
    const failing = (fault: string, attempt: number, times?: number) =>
      run('debug.fail', { fault, ...(times && { times }) }, { attempt });
    await expect(failing('refused', 99)).rejects.toMatchObject({ fault: { kind: 'refused' } });
    await expect(failing('unavailable', 2, 2)).rejects.toMatchObject({
      fault: { kind: 'unavailable', retry_after_ms: 0 },
    });
    expect(await failing('unavailable', 3, 2)).toEqual({ attempt: 3 });
    const final = await failing('invalid', 1).catch((error: unknown) => error);
    expect(final).toMatchObject({ fault: { kind: 'invalid' } });
    expect((final as { fault: object }).fault).not.toHaveProperty('retry_after_ms'); // a skill's fault
  });

  it('keep the processor busy', async () => {
    let now = 0;
    const clock = { ...handClock(), monotonic: () => now++ };
    const spin = debugSkills({ clock, exit: undefined }).find(({ name }) => name === 'debug.spin');
    expect(await spin?.run({ ms: 50 } as never, {} as SkillCall)).toEqual({ ms: 50 }); // it uses neither
    expect(now).toBeGreaterThan(50);
    // On a clock that only others can turn it would never end.
    expect(await bench().run('debug.spin', { ms: 50 })).toEqual({ ms: 50 });
  });

  it('end their process only where that is allowed', async () => {
    const codes: number[] = [];
    const { run } = bench((code) => codes.push(code));
    await run('debug.exit', {});
    await run('debug.exit', { code: 7 });
    expect(codes).toEqual([1, 7]);
    await expect(bench().run('debug.exit', {})).rejects.toThrow('refused: debug.exit is not allowed here');
  });
});
