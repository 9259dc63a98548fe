import type { Clock } from '@foldmesh/ports';
import { type Due, dueHeap } from './due-heap.ts';

/** Values by name, each kept for a while after it was last touched. */
export interface LedgerShelf<T> {
  find(name: string): T | undefined;
  keep(name: string, value: T, forMs: number): void;
}

/** What has run out is dropped when the next one is asked for, in the order of running out: nothing is ever scanned. */
export const ledgerShelf = <T>(clock: Clock): LedgerShelf<T> => {
  const kept = new Map<string, { readonly value: T; readonly expiry: Due<string> }>();
  const expiries = dueHeap<string>();
  return {
    find: (name) => {
      const now = clock.now();
      for (let old = expiries.popDue(now); old !== undefined; old = expiries.popDue(now)) kept.delete(old);
      return kept.get(name)?.value;
    },
    keep: (name, value, forMs) => {
      const known = kept.get(name);
      if (known !== undefined) expiries.remove(known.expiry);
      kept.set(name, { value, expiry: expiries.push(clock.now() + forMs, name) });
    },
  };
};
