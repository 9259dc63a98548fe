import { limits, ok } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './tool.ts';

const run = async () => ok('done');

describe('defineTool', () => {
  it('fills in what was left out', () => {
    const input = z.strictObject({});
    expect(defineTool({ name: 'net.ping', effect: 'read', input, run })).toEqual({
      kind: 'tool',
      name: 'net.ping',
      description: '',
      effect: 'read',
      terminal: false,
      input,
      output: undefined,
      timeoutMs: 60_000,
      run,
    });
  });

  it('keeps what was said, and gives no more time than a request has', () => {
    const output = z.string();
    const tool = defineTool({
      name: 'mail.send',
      description: 'Sends.',
      effect: 'keyed',
      input: z.any(),
      output,
      timeoutMs: 5,
      run,
    });
    expect(tool).toMatchObject({ description: 'Sends.', effect: 'keyed', output, timeoutMs: 5 });
    expect(
      defineTool({ name: 'slow', effect: 'read', input: z.any(), timeoutMs: 86_400_000, run }).timeoutMs,
    ).toBe(limits.requestMs);
  });
});
