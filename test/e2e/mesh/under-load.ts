import { errandLoad, type Load } from './errand-load.ts';
import { expectNothingPending, expectSameProcesses, pidsOf } from './expect-settled.ts';
import { expectNobodyHung, type Recoveries, recoveries, report } from './outage.ts';
import type { RealMesh } from './real-mesh.ts';

/** What happens to a mesh while jobs come; `load` goes on until it is over. */
export type Trouble = (recovery: Recoveries, load: Load) => Promise<void>;

/**
 * Lets trouble come over a mesh under a light load. Afterwards nobody was left without an answer, every job that was
 * accepted is as `ended` wants it, nothing is left in the streams, and every process is the one that it was before.
 */
export const underLoad = async (
  mesh: RealMesh,
  what: string,
  trouble: Trouble,
  ended: (mesh: RealMesh, accepted: ReadonlyMap<string, string>) => Promise<unknown>,
): Promise<void> => {
  const pids = pidsOf(mesh);
  const load = errandLoad(mesh.clients);
  const recovery = recoveries(mesh);
  await recovery.probe();
  await trouble(recovery, load);
  await load.stop();
  report(what, recovery, load);
  expectNobodyHung(load);
  await ended(mesh, new Map([...load.accepted, ...recovery.accepted]));
  await expectNothingPending(mesh);
  await expectSameProcesses(mesh, pids);
};
