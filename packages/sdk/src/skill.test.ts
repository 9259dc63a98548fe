import { Fault, limits } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineSkill, failed, SkillFault } from './skill.ts';

const run = async () => 'done';

describe('defineSkill', () => {
  it('fills in what was left out', () => {
    const input = z.strictObject({ n: z.int() });
    expect(defineSkill({ name: 'sum', input, run })).toEqual({
      kind: 'skill',
      name: 'sum',
      description: '',
      input,
      output: undefined,
      timeoutMs: 5 * 60_000,
      run,
    });
  });

  it('keeps what was said, and gives no more time than a request has', () => {
    const output = z.string();
    const skill = defineSkill({
      name: 'sum',
      description: 'Adds.',
      input: z.any(),
      output,
      timeoutMs: 1_000,
      run,
    });
    expect(skill).toMatchObject({ description: 'Adds.', output, timeoutMs: 1_000 });
    expect(defineSkill({ name: 'slow', input: z.any(), timeoutMs: 86_400_000, run }).timeoutMs).toBe(
      limits.requestMs,
    );
  });
});

describe('failed', () => {
  it('is an error with the fault in it, with a time only if later may help', () => {
    const error = failed('refused', 'not on a Sunday');
    expect(error).toBeInstanceOf(SkillFault);
    expect(error).toMatchObject({ name: 'SkillFault', message: 'refused: not on a Sunday' });
    expect(error.fault).toEqual({ kind: 'refused', detail: 'not on a Sunday' });
    expect(failed('unavailable', 'busy', 0).fault).toEqual({
      kind: 'unavailable',
      detail: 'busy',
      retry_after_ms: 0,
    });
  });

  it('cuts what would be too long to send', () => {
    const { fault } = failed('invalid', '€'.repeat(5_000));
    expect(new TextEncoder().encode(fault.detail).length).toBeLessThanOrEqual(limits.faultDetailBytesMax);
    expect(Fault.safeParse(fault).success).toBe(true);
  });
});
