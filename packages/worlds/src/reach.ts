import { fail, fault, type Result } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';

/** A link that is cut `out` lets nothing through; one that is cut `back` lets all through and brings no answer. */
export type Cut = 'out' | 'back';

/** How one incarnation reaches the world: what becomes of its calls on their way, and how wrong its clock is. */
export interface Reach {
  ask<T>(call: string, work: () => Promise<Result<T>>): Promise<Result<T>>;
  /** Whether what nobody asked for gets through to it: a delivery, a core message. */
  hears(port: string): boolean;
  /** Resolves when it would hear from this port again, or when `signal` aborts. */
  hearsAgain(port: string, signal: AbortSignal): Promise<void>;
  /** Milliseconds by which its clock is ahead; negative where it is behind. */
  ahead(): number;
}

/** Nothing stands between, and the clock is right. */
export const closeBy: Reach = {
  ask: (_, work) => work(),
  hears: () => true,
  hearsAgain: () => Promise.resolve(),
  ahead: () => 0,
};

/** The links between services and ports, and the clocks of the services. */
export interface Net {
  reachOf(name: string): Reach;
  /** Cuts what a service, or `*` for every one, reaches these ports through. */
  cut(name: string, ports: readonly string[], how: Cut): void;
  mend(name: string, ports: readonly string[]): void;
  /** Sets a service's clock ahead by so many milliseconds. */
  setAhead(name: string, ms: number): void;
  /** Calls that were lost on their way. */
  lost(): number;
  /** Mends all links and sets all clocks right. */
  heal(): void;
}

/** How long a client waits for an answer before it says that there is none. Milliseconds. */
const patienceMs = 500;
const retryAfterMs = 100;

export const netOf = (clock: Pick<Clock, 'sleep'>): Net => {
  const cuts = new Map<string, Cut>();
  const clocks = new Map<string, number>();
  let mended = Promise.withResolvers<void>();
  let lost = 0;

  const cutOf = (name: string, port: string): Cut | undefined =>
    cuts.get(`${name} ${port}`) ?? cuts.get(`* ${port}`);

  const notify = (): void => {
    mended.resolve();
    mended = Promise.withResolvers();
  };

  return {
    reachOf: (name) => ({
      async ask(call, work) {
        const [port = ''] = call.split('.');
        const how = cutOf(name, port);
        if (how === undefined) return work();
        lost += 1;
        if (how === 'back') await work();
        await clock.sleep(patienceMs);
        return fail(
          fault(how === 'out' ? 'unavailable' : 'unanswered', `${port} cannot be reached`, {
            source: 'link',
            retry_after_ms: retryAfterMs,
          }),
        );
      },
      hears: (port) => cutOf(name, port) === undefined,
      async hearsAgain(port, signal) {
        const aborted = Promise.withResolvers<void>();
        const stop = (): void => aborted.resolve();
        signal.addEventListener('abort', stop);
        while (!signal.aborted && cutOf(name, port) !== undefined)
          await Promise.race([mended.promise, aborted.promise]);
        signal.removeEventListener('abort', stop);
      },
      ahead: () => clocks.get(name) ?? 0,
    }),
    cut(name, ports, how) {
      for (const port of ports) cuts.set(`${name} ${port}`, how);
    },
    mend(name, ports) {
      for (const port of ports) cuts.delete(`${name} ${port}`);
      notify();
    },
    setAhead: (name, ms) => void clocks.set(name, ms),
    lost: () => lost,
    heal() {
      cuts.clear();
      clocks.clear();
      notify();
    },
  };
};
