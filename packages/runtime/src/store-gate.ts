import type { Host } from './service.ts';

/**
 * Keeps a host from taking work on while it does not hear the dedup store. A claim that was made and not heard is a lease
 * that lapses, and counts as a strike: a host whose link is broken would strike out, one after the other, tasks that nobody has run.
 */
export interface StoreGate {
  /** The same host; a claim of its that gets no answer shuts the gate. */
  readonly host: Host;
  /** Resolves when the store is heard, at once where nothing says that it is not, or when `signal` aborts. */
  heard(signal: AbortSignal): Promise<void>;
}

const askAgainMs = 1_000;

export const storeGate = (host: Host): StoreGate => {
  const { inbox, clock, log } = host.ports;
  let isShut = false;
  const claim: typeof inbox.claim = async (request) => {
    const claimed = await inbox.claim(request);
    if (!claimed.ok && !isShut) {
      isShut = true;
      log('warn', 'the dedup store is not heard: nothing is taken on until it is', {
        fault: claimed.fault.detail,
      });
    }
    return claimed;
  };
  return {
    host: { ...host, ports: { ...host.ports, inbox: { ...inbox, claim } } },
    async heard(signal) {
      while (isShut && !signal.aborted) {
        isShut = !(await inbox.generation()).ok;
        if (isShut) await clock.sleep(askAgainMs, signal);
      }
    },
  };
};
