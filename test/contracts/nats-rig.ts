import { type JetStreamPorts, openJetStream } from '@foldmesh/jetstream';
import type { Bus } from '@foldmesh/ports';
import { systemClock, systemRandom } from '@foldmesh/system';
import { afterAll, beforeAll } from 'vitest';
import { unacked } from './bus-hands.ts';
import { type Contracted, got, type Rig } from './rig.ts';
import { samples } from './samples.ts';

/** The ports that JetStream has. */
export type OnNats = Extract<Contracted, 'bus' | 'journal' | 'index' | 'blobs' | 'dead'>;

/** Holds and windows are short enough to wait for, and long enough that a busy machine does not let one run out that should not. */
export const natsTimings = {
  ackWaitMs: 2_000,
  duplicateWindowMs: 4_000,
  leaseMs: 2_000,
  slackMs: 250,
  patienceMs: 15_000,
};

export const openOn = async (url: string): Promise<JetStreamPorts> => {
  const ports = got(
    await openJetStream(
      {
        url,
        name: 'contracts',
        clock: systemClock,
        log: () => undefined,
        topology: natsTimings,
      },
      AbortSignal.timeout(30_000),
    ),
  );
  got(await ports.topology());
  return ports;
};

/** A server, however it was come by. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** One server and one connection for all tests of a file; each test has names of its own there. */
export const natsRig = (name: string, serve: () => Promise<Served>): Rig<OnNats> => {
  let server: Served | undefined;
  let open: JetStreamPorts | undefined;
  let tests = 0;
  beforeAll(async () => {
    server = await serve();
    open = await openOn(server.url);
  }, 120_000);
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  }, 60_000);
  return {
    name,
    timings: natsTimings,
    runs: 3,
    timeoutMs: 120_000,
    run: async (test) => {
      if (open === undefined) throw new Error('the server has not been started');
      tests += 1;
      const word = `${systemRandom.hex(4)}-${tests}`;
      await test({ ...open, clock: systemClock }, word);
      await clearShard(open.bus, word);
    },
  };
};

/** Pools are a test's own, but the manager has sixteen shards for all of them: what is left there would be found by another. */
const clearShard = async (bus: Bus, name: string): Promise<void> => {
  const { manager } = samples(name);
  for (const queue of [manager('submit'), manager('call')]) {
    if ((await unacked(bus, queue)) === 0) continue;
    await using left = got(await bus.subscribe(queue));
    while ((await unacked(bus, queue)) > 0)
      for (const delivery of await left.pull(10, AbortSignal.timeout(30_000))) got(await delivery.ack());
  }
};
