import type { Party, Result } from '@foldmesh/envelope';
import { fail, ok } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { type Nursery, nursery } from './nursery.ts';
import { type HostSettings, hostSettings } from './settings.ts';
import { steadyPorts } from './steady-ports.ts';
import { type StoreMark, storeMark } from './store-mark.ts';

/** What a part of a service works with. */
export interface Host {
  readonly party: Party;
  /** Names this process among its replicas. */
  readonly instance: string;
  readonly ports: Ports;
  readonly settings: HostSettings;
  readonly nursery: Nursery;
  readonly mark: StoreMark;
  /** Aborts first: from here on nothing new is taken on. */
  readonly intake: AbortSignal;
  /** Aborts when what is in hand must be handed back. */
  readonly work: AbortSignal;
}

/** Binds to what it reads and starts its loops in the host's nursery; a fault says why it cannot. */
export type Part = (host: Host) => Promise<Result<void>>;

export interface Running {
  /** Resolves with what went wrong if the service ends by a defect. */
  readonly failed: Promise<unknown>;
  /** Intake stops; what is in hand has `graceMs` to finish, then it is handed back. Resolves when all is done. */
  stop(graceMs: number): Promise<void>;
}

export interface Service {
  readonly name: string;
  start(): Promise<Result<Running>>;
}

/** A service is its parts over the ports of a world. */
export const serve = (
  party: Party,
  ports: Ports,
  parts: readonly Part[],
  settings: HostSettings = hostSettings,
): Service => ({
  name: party,
  async start() {
    const intake = new AbortController();
    const work = new AbortController();
    const { promise: failed, resolve: fails } = Promise.withResolvers<unknown>();
    const all = nursery((error) => {
      ports.log('error', `${party} ends by a defect`, { error: String(error) });
      fails(error);
      intake.abort();
      work.abort();
    });
    const steady = steadyPorts(ports);
    const host: Host = {
      party,
      instance: `${party}-${ports.random.hex(4)}`,
      ports: steady,
      mark: storeMark(ports.inbox, ports.clock),
      settings,
      nursery: all,
      intake: intake.signal,
      work: work.signal,
    };
    const stop = async (graceMs: number): Promise<void> => {
      intake.abort();
      const ended = new AbortController();
      const grace = ports.clock.sleep(graceMs, ended.signal).then(() => work.abort());
      try {
        await all.settled();
      } finally {
        ended.abort();
        await grace;
      }
    };
    for (const part of parts) {
      const started = await part(host);
      if (!started.ok) {
        await stop(0);
        return fail(started.fault);
      }
    }
    return ok({ failed, stop });
  },
});
