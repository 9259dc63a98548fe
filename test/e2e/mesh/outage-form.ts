import type { ServerProcess } from '@foldmesh/testbed';
import { passing, type Recoveries } from './outage.ts';

/** All of it takes minutes, and is asked for by FOLDMESH_TEST_OUTAGES=full; otherwise there is less of each. */
export const isFull = process.env['FOLDMESH_TEST_OUTAGES'] === 'full';
export const restarts = isFull ? 10 : 3;
export const outageTimeout = isFull ? 600_000 : 180_000;

/** How long a server is away in a short outage: at once back, or after a second or three. */
const gapsMs = [0, 1_000, 3_000];

/** Stopped and killed in turn; a job that comes at the moment of each return has to end in time. */
export const restartAgainAndAgain = async (server: ServerProcess, recovery: Recoveries): Promise<void> => {
  for (let round = 0; round < restarts; round++) {
    await (round % 2 === 0 ? server.stop() : server.kill());
    await passing(gapsMs[round % gapsMs.length] ?? 0);
    await server.restart();
    await recovery.probe();
  }
};
