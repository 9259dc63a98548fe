/** One of a handler host's slots, taken. */
export interface Slot {
  /** Waits until every other slot has ended, and keeps new work out until this one does. */
  alone(): Promise<void>;
  release(): void;
}

export interface Slots {
  /** Free slots, once there is one; 0 when `signal` aborts first. */
  room(signal: AbortSignal): Promise<number>;
  take(): Slot;
  /** Resolves when none is taken. */
  idle(): Promise<void>;
}

/** Bounds how many handlers run at once, and lets a task that has killed its process before run by itself. */
export const slots = (max: number): Slots => {
  let taken = 0;
  /** Those that want to be alone, in order; the first goes when nobody else is at work. */
  const alone: { readonly go: () => void }[] = [];
  let runsAlone = false;
  let changed = Promise.withResolvers<void>();

  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
    const [first] = alone;
    // Those that wait to be alone hold slots but are not at work.
    if (first !== undefined && !runsAlone && taken === alone.length) {
      runsAlone = true;
      first.go();
    }
  };

  return {
    async room(signal) {
      const aborted = Promise.withResolvers<void>();
      const stop = (): void => aborted.resolve();
      signal.addEventListener('abort', stop);
      while (!signal.aborted && (taken >= max || alone.length > 0))
        await Promise.race([changed.promise, aborted.promise]);
      signal.removeEventListener('abort', stop);
      return signal.aborted ? 0 : max - taken;
    },
    async idle() {
      while (taken > 0) await changed.promise;
    },
    take() {
      taken += 1;
      let mine: { readonly go: () => void } | undefined;
      return {
        async alone() {
          if (mine !== undefined) return;
          const turn = Promise.withResolvers<void>();
          mine = { go: turn.resolve };
          alone.push(mine);
          change();
          await turn.promise;
        },
        release() {
          taken -= 1;
          if (mine !== undefined) {
            alone.splice(alone.indexOf(mine), 1);
            runsAlone = false;
          }
          change();
        },
      };
    },
  };
};
