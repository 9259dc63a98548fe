import type { Clock, Delivery, Held, Inbox } from '@foldmesh/ports';

/** Why a handler is told to stop. */
export type AbortCause = 'cancelled' | 'lost' | 'draining' | 'timeout';

/** The reason an `AbortSignal` of ours carries. */
export const causeOf = (signal: AbortSignal): AbortCause | undefined =>
  signal.aborted ? (signal.reason as AbortCause) : undefined; // only ours abort it

/** One delivery in hand: renewed until disposed. */
export interface Hold extends AsyncDisposable {
  readonly signal: AbortSignal;
  /** The first cause is the one the signal carries; `lost` is remembered beside it. */
  abort(cause: AbortCause): void;
  /** Somebody else may have it: nothing more may be said about the message. */
  lost(): boolean;
  /** A claim to renew with the hold, until it is dropped; a bundle has several. */
  carry(claim: Held): void;
  drop(claim: Held): void;
}

/**
 * One heartbeat, every third of the ack wait: the lease first, the hold second, and it counts only when both have
 * answered. A whole ack wait without one, and the handler is aborted: somebody else may have the work by then.
 * Who merely woke up late asks first: a lapsed lease is lost only when somebody has taken it.
 */
export const holdDelivery = (
  { clock, inbox }: { readonly clock: Clock; readonly inbox: Inbox },
  delivery: Delivery,
  ackWaitMs: number,
): Hold => {
  const beatMs = Math.floor(ackWaitMs / 3);
  const controller = new AbortController();
  const ended = new AbortController();
  const claims = new Set<Held>();
  let isLost = false;
  // The broker counts from the delivery, not from when its handler began.
  let lastGood = clock.monotonic() - Math.max(0, clock.now() - delivery.received_at);

  const abort = (cause: AbortCause): void => {
    if (cause === 'lost') isLost = true;
    controller.abort(cause);
  };
  const beat = async (): Promise<boolean> => {
    const renewals = [...claims].map(async (claim) => {
      const grip = await inbox.renew(claim, ackWaitMs);
      if (!grip.ok) return false;
      if (grip.value === 'halted') abort('cancelled');
      // A claim that was given up meanwhile, by ourselves, is not lost.
      if (grip.value === 'lost' && claims.has(claim)) abort('lost');
      return true;
    });
    const renewed = await Promise.all(renewals);
    if (renewed.includes(false)) return false;
    // A late `working` would keep the message from whoever is to have it next.
    return !isLost && !ended.signal.aborted && (await delivery.working()).ok;
  };
  const loop = async (): Promise<void> => {
    while (!isLost) {
      await clock.sleep(beatMs, ended.signal);
      if (ended.signal.aborted) return;
      const begun = clock.monotonic();
      const answered = new AbortController();
      const patience = clock
        .sleep(
          Math.max(beatMs, lastGood + ackWaitMs - begun),
          AbortSignal.any([answered.signal, ended.signal]),
        )
        .then(() => false);
      const good = await Promise.race([beat(), patience]);
      answered.abort('over');
      if (good) lastGood = begun;
      else if (!ended.signal.aborted && clock.monotonic() - lastGood >= ackWaitMs) abort('lost');
    }
  };
  const beating = loop();

  return {
    signal: controller.signal,
    abort,
    lost: () => isLost,
    carry: (claim) => void claims.add(claim),
    drop: (claim) => void claims.delete(claim),
    async [Symbol.asyncDispose]() {
      // Without a reason an abort makes an exception and its stack, for nobody: that is felt once a message.
      ended.abort('over');
      await beating;
    },
  };
};
