import type { Clock, Inbox } from '@foldmesh/ports';

/** The dedup store's generation as this host last knew it. */
export interface StoreMark {
  /** Undefined only where it was never known. */
  read(): Promise<string | undefined>;
}

/** How long a mark counts without being asked for again. Milliseconds. */
const freshMs = 1_000;

/**
 * What an entry says of the store when a decision was made. An older mark is safe: on a store that is another by now an
 * effect that nobody can vouch for is unknown instead of run again. So it is asked for once a second, not with every append,
 * and a store that is away for a moment does not take the mark of all that is decided meanwhile with it.
 */
export const storeMark = (inbox: Pick<Inbox, 'generation'>, clock: Clock): StoreMark => {
  let known: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      const answer = await inbox.generation();
      if (answer.ok) known = answer.value;
    } finally {
      asking = undefined;
      // Also where there was no answer: whoever decides does not wait for a store that is away.
      askedAt = clock.monotonic();
    }
  };
  return {
    read: async () => {
      if (clock.monotonic() - askedAt >= freshMs) {
        asking ??= ask();
        await asking;
      }
      return known;
    },
  };
};
