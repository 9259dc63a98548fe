import { defineTool, ok, z } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { checkArguments } from './check-arguments.ts';

const toolWith = (input: z.ZodType) =>
  defineTool({ name: 'files.remove', effect: 'unsafe', input, run: async () => ok(null) });

const strict = toolWith(
  z.strictObject({
    path: z.string(),
    count: z.int().optional(),
    options: z.strictObject({ deep: z.boolean() }).optional(),
  }),
);

const said = (tool: ReturnType<typeof toolWith>, input: unknown): string => {
  const checked = checkArguments(tool, input);
  if (checked.ok) return 'accepted';
  expect(checked.fault).toEqual({ kind: 'invalid', detail: expect.any(String) });
  return checked.fault.detail;
};

const allowed = 'the arguments are path (required), count, options';

/** C095: nothing runs on arguments that nobody asked for. */
describe('checkArguments', () => {
  it('hands on what the schema makes of good ones', () => {
    const tool = toolWith(z.strictObject({ path: z.string(), count: z.int().default(3) }));
    expect(checkArguments(tool, { path: 'a' })).toEqual({ ok: true, value: { path: 'a', count: 3 } });
  });

  it.each([
    ['an unknown name', { path: 'a', cuont: 1 }, `cuont: there is no such argument; ${allowed}`],
    ['a missing one', { count: 1 }, `path: Invalid input: expected string, received undefined; ${allowed}`],
    ['a wrong type', { path: 7 }, `path: Invalid input: expected string, received number; ${allowed}`],
    [
      'a number as text',
      { path: 'a', count: '3' },
      `count: Invalid input: expected number, received string; ${allowed}`,
    ],
    ['nesting', { path: { path: 'a' } }, `path: Invalid input: expected string, received object; ${allowed}`],
    [
      'an unknown name further down',
      { path: 'a', options: { deep: true, x: 1 } },
      `options.x: there is no such argument; ${allowed}`,
    ],
    ['nothing', null, `Invalid input: expected object, received null; ${allowed}`],
    ['a list', [], `Invalid input: expected object, received array; ${allowed}`],
    ['text', '{"path":"a"}', `Invalid input: expected object, received string; ${allowed}`],
  ])('names %s and lists what there is', (_, input, expected) => {
    expect(said(strict, input)).toBe(`files.remove: ${expected}`);
  });

  it('names a misspelt one and the one that is missing because of it', () => {
    const detail = said(strict, { pth: 'a' });
    expect(detail).toContain('path: Invalid input');
    expect(detail).toContain('pth: there is no such argument');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('takes %s for no argument', (name) => {
    expect(said(strict, JSON.parse(`{"path":"a","${name}":{"count":1}}`))).toBe(
      `files.remove: ${name}: there is no such argument; ${allowed}`,
    );
    const lax = toolWith(z.object({ path: z.string() }));
    expect(said(lax, JSON.parse(`{"path":"a","${name}":1}`))).toContain(`${name}: there is no such argument`);
  });

  it('passes nothing over that a lax schema would, however deep', () => {
    const lax = toolWith(
      z.object({
        path: z.string(),
        rules: z
          .array(z.object({ at: z.string() }).optional())
          .nullable()
          .default([]),
      }),
    );
    expect(said(lax, { path: 'a' })).toBe('accepted');
    expect(said(lax, { path: 'a', rules: [{ at: 'x' }] })).toBe('accepted');
    expect(said(lax, { path: 'a', rule: [] })).toContain('rule: there is no such argument');
    expect(said(lax, { path: 'a', rules: [{ at: 'x' }, { at: 'y', until: 1 }] })).toContain(
      'rules.1.until: there is no such argument',
    );
  });

  it('leaves open what a schema says is open', () => {
    expect(said(toolWith(z.looseObject({ path: z.string() })), { path: 'a', more: 1 })).toBe('accepted');
    expect(said(toolWith(z.record(z.string(), z.int())), { a: 1 })).toBe('accepted');
    expect(said(toolWith(z.record(z.string(), z.int())), { a: 'x' })).toContain('a: Invalid input');
  });

  it('says a few of many, and that it has no arguments where it has none', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`x${index}`, 1]));
    expect(said(toolWith(z.strictObject({})), many)).toBe(
      'files.remove: x0: there is no such argument; x1: there is no such argument; x2: there is no such argument; ' +
        'x3: there is no such argument; x4: there is no such argument (and 4 more); it has no arguments',
    );
  });
});
