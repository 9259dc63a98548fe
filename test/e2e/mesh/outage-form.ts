import type { ServerProcess } from '@foldmesh/testbed';
import { passing, type Recoveries } from './outage.ts';

/** All of it takes minutes, and is asked for by FOLDMESH_TEST_OUTAGES=full; otherwise there is less of each. */
export const isFull = process.env['FOLDMESH_TEST_OUTAGES'] === 'full';
export const restarts = isFull ? 10 : 3;
export const outageTimeout = isFull ? 900_000 : 300_000;

/** How long a server is away in a short outage: at once back, or after a second or three. */
const gapsMs = [0, 1_000, 3_000];

/** When a server was away, until a job that came at its return had ended. Milliseconds UTC. */
export interface Absence {
  readonly from: number;
  readonly to: number;
}

/** Notes when what is away in the meantime goes, and when all of it is over. */
export const noting = async (absences: Absence[], trouble: () => Promise<unknown>): Promise<void> => {
  const from = Date.now();
  await trouble();
  absences.push({ from, to: Date.now() });
};

/** Stopped and killed in turn, which is noted; a job that comes at the moment of each return has to end in time. */
export const restartAgainAndAgain = async (
  server: ServerProcess,
  recovery: Recoveries,
  absences: Absence[] = [],
): Promise<void> => {
  for (let round = 0; round < restarts; round++)
    await noting(absences, async () => {
      await (round % 2 === 0 ? server.stop() : server.kill());
      await passing(gapsMs[round % gapsMs.length] ?? 0);
      await server.restart();
      await recovery.probe();
    });
};
