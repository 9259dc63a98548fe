import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, kindOf, type Type } from './catalogue.ts';
import { readHeaders } from './headers.ts';
import { invariant } from './invariant.ts';
import { lift, liftWith } from './lift.ts';
import { isNewer, openAs, openOuter } from './open.ts';
import type { Fixture } from './testing/golden-messages.ts';
import { inventedKind } from './testing/invented-type.ts';

/** An invented type in its third version: first a name, then a list of names, then names with a mark. */
const third = {
  v: 3,
  lifts: [
    (older: unknown) => ({ names: [(older as { name: string }).name] }), // what version 1 was
    (older: unknown) => ({ names: (older as { names: string[] }).names.map((name) => `${name}!`) }), // what version 2 was
  ],
};

describe('lifting', () => {
  it('brings a payload of any older version up step by step', () => {
    expect(liftWith(third, 1, { name: 'a' })).toEqual({ names: ['a!'] });
    expect(liftWith(third, 2, { names: ['a', 'b'] })).toEqual({ names: ['a!', 'b!'] });
  });

  it('leaves the newest version as it is', () => {
    const payload = { names: ['a!'] };
    expect(liftWith(third, 3, payload)).toBe(payload);
  });

  it('leaves the older payload itself untouched', () => {
    const older = Object.freeze({ name: 'a' });
    liftWith(third, 1, older);
    expect(older).toEqual({ name: 'a' });
  });

  it('has a step for every older version of every type', () => {
    const types = Object.keys(catalogue) as Type[]; // its keys, by definition of the type
    expect(types.length).toBeGreaterThan(0);
    for (const type of types) {
      const kind: { readonly v: number; readonly lifts?: readonly unknown[] } = catalogue[type];
      expect(kind.lifts ?? []).toHaveLength(kind.v - 1);
      expect(lift(type, kind.v, third)).toBe(third);
    }
  });
});

describe('a message of an older version', () => {
  const kind = inventedKind(kindOf('tool.call'));
  const file = new URL('../fixtures/invented/tool.call.json', import.meta.url);
  const { headers: raw, body } = JSON.parse(readFileSync(file, 'utf8')) as Fixture; // a fixture like the others
  const headers = readHeaders(raw);
  invariant(headers.ok, 'its headers read');
  const outer = openOuter(headers.value, new TextEncoder().encode(body));
  invariant(outer.ok, 'its body reads');

  it('opens as the newest would, under the fingerprint of what was sent', () => {
    expect(openAs(kind, 'tool.call', headers.value, outer.value)).toMatchObject({
      ok: true,
      value: { v: 2, payload: { tool: 'files.read', input: { path: 'LICENSE' } } },
    });
  });

  it('is no longer readable without its step', () => {
    const { lifts: _, ...stepless } = kind;
    expect(openAs(stepless, 'tool.call', headers.value, outer.value)).toMatchObject({
      ok: false,
      fault: { detail: expect.stringMatching(/^tool\.call payload: /) },
    });
  });

  it('and one of a version to come is told by its header alone', () => {
    expect([1, 2].map((v) => isNewer({ ...headers.value, v }))).toEqual([false, true]);
  });
});
