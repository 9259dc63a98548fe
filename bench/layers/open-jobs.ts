import { type ChildProcess, eventually } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { inLanes } from '../measure/call-cost.ts';
import { busDoor } from '../mesh/bus-door.ts';
import { type Footprint, footprintOf } from './footprint.ts';

export const openJobsName = 'manager, open jobs';
const lanes = 32;

/** One task that waits longer than anybody measures. */
const waiting = {
  name: 'open',
  plan: { tasks: [{ id: 'wait', skill: 'debug.sleep', input: { ms: 600_000 } }] },
};

/**
 * What a manager grows by with each further job that is accepted and does not end, in bytes. The first round fills what
 * is kept of recent jobs, and is forgotten.
 */
export const measureOpenJobs = async (
  { rounds, layers: { openJobs }, say }: Extent,
  natsUrl: string,
  start: (service: string) => Promise<ChildProcess>,
): Promise<readonly Footprint[]> => {
  await using _worker = await start('worker');
  await using manager = await start('manager');
  await using door = await busDoor(natsUrl);
  // A manager reads what is offered once a second.
  await eventually(() => door.accept(waiting), { withinMs: 15_000, everyMs: 250 });
  const more = inLanes(lanes, () => door.accept(waiting));
  const measured: Footprint[] = [];
  let before = await footprintOf(manager, 1);
  for (let round = 0; round <= rounds; round++) {
    await more(openJobs);
    const now = await footprintOf(manager, round + 2);
    const each = { rss: (now.rss - before.rss) / openJobs, heap: (now.heap - before.heap) / openJobs };
    say(`  ${1 + openJobs * (round + 1)} jobs open  ${JSON.stringify({ ...now, each })}`);
    if (round > 0) measured.push(each);
    before = now;
  }
  return measured;
};
