import {
  type EmbeddedSettings,
  embedded,
  embeddedLedger,
  type FaultCounts,
  type Faults,
  seededRandom,
  virtualClock,
} from '@foldmesh/embedded';
import type { Rig } from './rig.ts';

/** All ports in memory on a virtual clock; with faults it is the world that every promise must survive. */
export const embeddedRig = (
  seed: number,
  faults: Partial<Faults> = {},
  settings: Partial<EmbeddedSettings> = {},
  onEnd: (injected: FaultCounts) => void = () => {},
): Rig => ({
  name: Object.keys(faults).length === 0 ? 'embedded' : `embedded with faults, seed ${seed}`,
  timings: { ackWaitMs: 6_000, duplicateWindowMs: 20_000, leaseMs: 6_000, slackMs: 50, patienceMs: 50 },
  runs: 100,
  timeoutMs: 20_000,
  run: async (test) => {
    const clock = virtualClock();
    const world = { clock, random: seededRandom(seed), faults, settings };
    const ports = embedded(world);
    await clock.run(test({ ...ports, ledger: embeddedLedger(world), clock }, String(seed)));
    onEnd(ports.injected());
  },
});
