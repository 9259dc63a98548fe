import { describe, expect, it } from 'vitest';
import { catalogue, type Type } from './catalogue.ts';
import { lift, liftWith } from './lift.ts';

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
