import type { InvariantName } from './invariants.ts';

/** Counts what each invariant was held against, and keeps each violation once. */
export interface Looks {
  look(name: InvariantName, found: readonly string[]): void;
  readonly looked: ReadonlyMap<InvariantName, number>;
  wrong(): readonly string[];
}

/** `say` hears of each violation when it is first seen. */
export const looksOf = (say: (what: string) => void): Looks => {
  const looked = new Map<InvariantName, number>();
  const wrong = new Set<string>();
  return {
    look(name, found) {
      looked.set(name, (looked.get(name) ?? 0) + 1);
      for (const one of found) {
        const what = `${name}: ${one}`;
        if (!wrong.has(what)) say(`VIOLATED ${what}`);
        wrong.add(what);
      }
    },
    looked,
    wrong: () => [...wrong],
  };
};
