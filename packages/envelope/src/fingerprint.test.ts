import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from './digest.ts';
import { fingerprint } from './fingerprint.ts';
import type { Json, JsonObject } from './json.ts';
import { canonicalJson, isJsonObject } from './json.ts';

const json = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as Json); // a parser yields nothing else

/** The same value with all its keys the other way round. */
const reversed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
};

const assign: JsonObject = {
  tasks: [{ key: 'acme/j-1/a/1/0/0', run: { kind: 'tool', name: 'x' }, input: { a: 1 } }],
};

describe('fingerprints', () => {
  it('are the hash of the canonical JSON of type and payload', () => {
    const text = '{"payload":{"input":{"a":1,"b":[2,null]},"tool":"x"},"type":"tool.call"}';
    expect(fingerprint('tool.call', { tool: 'x', input: { b: [2, null], a: 1 } })).toBe(sha256Hex(text));
  });

  it('do not depend on the order of keys, nor on spacing', () =>
    fc.assert(
      fc.property(json, (input) => {
        const print = fingerprint('tool.call', { tool: 'x', input });
        expect(fingerprint('tool.call', reversed({ tool: 'x', input }))).toBe(print);
        expect(fingerprint('tool.call', JSON.parse(JSON.stringify({ input, tool: 'x' }, null, 2)))).toBe(
          print,
        );
      }),
    ));

  it('depend on everything else', () =>
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        expect(fingerprint('tool.call', { tool: 'x', input: one })).not.toBe(
          fingerprint('tool.call', { tool: 'x', input: other }),
        );
      }),
    ));

  it('depend on the type, the order of lists, and on whether a field is there', () => {
    const prints = [
      fingerprint('tool.call', { a: [1, 2] }),
      fingerprint('tool.settle', { a: [1, 2] }),
      fingerprint('tool.call', { a: [2, 1] }),
      fingerprint('tool.call', { a: [1, 2], b: null }),
      fingerprint('tool.call', { a: ['1', '2'] }),
      fingerprint('tool.call', {}),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('do not depend on what only carries, in the one type that has such fields', () => {
    const print = fingerprint('task.assign', assign);
    expect(
      fingerprint('task.assign', { ...assign, attempts: [2], bind: { 'inputs.root': { value: '.' } } }),
    ).toBe(print);
    expect(fingerprint('task.assign', { ...assign, attempts: [] })).toBe(print);
    expect(fingerprint('tool.call', { tool: 'x', input: 1, attempts: [2] })).not.toBe(
      fingerprint('tool.call', { tool: 'x', input: 1 }),
    );
  });

  it('leave out what carries at the top only: a task may well have an input of that name', () => {
    const task = { key: 'acme/j-1/a/1/0/0', run: { kind: 'tool', name: 'x' } };
    const prints = [1, 2].map((attempts) =>
      fingerprint('task.assign', { tasks: [{ ...task, input: { attempts, bind: attempts } }] }),
    );
    expect(prints[0]).not.toBe(prints[1]);
  });
});
