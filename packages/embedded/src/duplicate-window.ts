import { chain } from './chain.ts';

/** What a stream remembers of the ids it stored. A later copy does not make it remember any longer. */
export interface DuplicateWindow<T> {
  recall(id: string, now: number): T | undefined;
  remember(id: string, value: T, now: number): void;
}

export const duplicateWindow = <T>(windowMs: number): DuplicateWindow<T> => {
  const known = new Map<string, T>();
  const order = chain<{ readonly id: string; readonly until: number }>();

  const forget = (now: number): void => {
    for (let oldest = order.first(); oldest && oldest.until <= now; oldest = order.first()) {
      order.shift();
      known.delete(oldest.id);
    }
  };

  return {
    recall: (id, now) => {
      forget(now);
      return known.get(id);
    },
    remember: (id, value, now) => {
      forget(now);
      known.set(id, value);
      order.push({ id, until: now + windowMs });
    },
  };
};
