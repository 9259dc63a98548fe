import { currentOffers, type Offered, silentMs } from './offering.ts';

/** What one reader has heard of offers, reading after reading. */
export interface HeardOffers<T> {
  /** Takes in what a reading shows, each offer by its subject; gives what counts now, the newest first. */
  hear(shown: ReadonlyMap<string, T>): readonly T[];
}

/**
 * An index may show what it was a moment ago, and that takes nothing back: of each subject the later word stands. What a
 * reading lacks altogether is believed until its pool would have said it again; then somebody has removed it.
 */
export const heardOffers = <T extends Offered>(): HeardOffers<T> => {
  let heard: ReadonlyMap<string, T> = new Map();
  return {
    hear(shown) {
      const next = new Map(shown);
      const newest = [...heard.values(), ...shown.values()].reduce(
        (last, { at = 0 }) => Math.max(last, at),
        0,
      );
      for (const [subject, known] of heard) {
        const at = known.at ?? 0;
        const now = shown.get(subject);
        if (now === undefined ? at > newest - silentMs : at > (now.at ?? 0)) next.set(subject, known);
      }
      heard = next;
      return currentOffers([...next.values()]);
    },
  };
};
