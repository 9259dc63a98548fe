import { systemClock } from '@foldmesh/system';
import { obey } from '../measure/commanded-child.ts';
import { bareHop } from './bare-hop.ts';
import { type HopServers, ourHop } from './our-hop.ts';

export type HopKind = 'ours' | 'bare' | 'bare, ack answered';

export interface HopGiven extends HopServers {
  readonly kind: HopKind;
}

/** How long `count` messages took, and the processor time of this process for each. */
export interface Drained {
  readonly ms: number;
  readonly cpuUs: number;
}

// One hop in a process of its own, started and stopped as the benchmark says.
const given = JSON.parse(process.argv[2] ?? '') as HopGiven; // as hop.ts writes it
await using hop = given.kind === 'ours' ? await ourHop(given) : await bareHop(given, given.kind !== 'bare');
let serving: { stop(): Promise<void> } | undefined;

await obey({
  drain: async ({ count }: { readonly count: number }): Promise<Drained> => {
    const all = Promise.withResolvers<void>();
    let left = count;
    let begun = 0;
    let before = process.cpuUsage();
    const running = await hop.start(() => {
      if (left === count) {
        begun = systemClock.monotonic();
        before = process.cpuUsage();
      }
      left -= 1;
      if (left === 0) all.resolve();
    });
    await all.promise;
    await running.stop();
    const { user, system } = process.cpuUsage(before);
    return { ms: systemClock.monotonic() - begun, cpuUs: (user + system) / count };
  },
  serve: async () => {
    serving = await hop.start(() => undefined);
  },
  rest: async () => {
    await serving?.stop();
    serving = undefined;
  },
});
