import { ok } from '@foldmesh/envelope';
import type { Bus, Clock, Subscription } from '@foldmesh/ports';
import { whenAborted } from './until-signal.ts';

/** Knows whether the dedup store may be asked. */
export interface StoreWatch extends AsyncDisposable {
  /** Resolves when it may be, at once if it may be now, or when `signal` aborts. */
  whenThere(signal: AbortSignal): Promise<void>;
  /** Aborts as soon as it is away, and stays so; the next one is of its next life. */
  away(): AbortSignal;
}

/** How often it is looked at, which costs no network. Milliseconds. */
const lookMs = 100;

/** Looks again and again, for nobody calls when a store goes or comes back. */
export const storeWatch = (isAway: () => boolean, clock: Clock): StoreWatch => {
  const ending = new AbortController();
  let away = new AbortController();
  let back = new AbortController();
  back.abort();
  const look = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      if (isAway() && !away.signal.aborted) {
        back = new AbortController();
        away.abort();
      } else if (!isAway() && away.signal.aborted) {
        away = new AbortController();
        back.abort();
      }
      await clock.sleep(lookMs, ending.signal);
    }
    back.abort();
  };
  const looking = look();
  return {
    whenThere: async (signal) => {
      if (!back.signal.aborted) await whenAborted(AbortSignal.any([back.signal, signal]));
    },
    away: () => away.signal,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await looking;
    },
  };
};

/**
 * Work that needs a claim stays in its queue while nothing can be claimed. Taken and handed back it would count as
 * delivered before, and an unsafe effect that never began would be unknown on a store that came back as another; it would
 * also wait out a delay that grows with each hand-back. Deciders claim nothing, and go on.
 */
export const claimableBus = (bus: Bus, watch: StoreWatch): Bus => ({
  ...bus,
  subscribe: async (queue) => {
    const subscribed = await bus.subscribe(queue);
    if (!subscribed.ok || queue.lane !== 'call') return subscribed;
    return ok(whileThere(subscribed.value, watch));
  },
});

const whileThere = (subscription: Subscription, watch: StoreWatch): Subscription => {
  const over = eitherOf();
  return {
    pull: async (max, signal) => {
      for (;;) {
        await watch.whenThere(signal);
        if (signal.aborted) return [];
        const away = watch.away();
        const taken = await subscription.pull(max, over(signal, away));
        if (taken.length > 0 || !away.aborted) return taken;
      }
    },
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
};

/** Of two signals that stay the same for thousands of pulls one is made, not one for each. */
const eitherOf = (): ((one: AbortSignal, other: AbortSignal) => AbortSignal) => {
  let made: { readonly of: readonly AbortSignal[]; readonly either: AbortSignal } | undefined;
  return (one, other) => {
    if (made?.of[0] !== one || made.of[1] !== other)
      made = { of: [one, other], either: AbortSignal.any([one, other]) };
    return made.either;
  };
};
