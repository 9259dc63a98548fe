import type { Lane, ServiceName } from '@foldmesh/envelope';
import type { DeadLetter } from '@foldmesh/ports';
import { type Told, tell } from './jobs.ts';
import { type Line, type PortCall, pool, type Run } from './mesh.ts';
import type { Witness } from './witness.ts';

/** What is there when a scenario is over. */
export interface Ending {
  readonly seed: number;
  readonly jobs: ReadonlyMap<string, Told>;
  readonly witness: Witness;
  readonly letters: readonly DeadLetter[];
  /** Messages that nobody has acked. */
  readonly backlog: number;
  /** Who still waits for a later instant when every service has been shut down; the dead wait for ever. */
  readonly sleepersLeft: number;
  readonly defects: readonly string[];
  readonly deaths: readonly string[];
  readonly calls: readonly PortCall[];
  readonly injected: Readonly<Record<string, number>>;
  readonly log: readonly Line[];
}

/** What must be true when all is over. */
export type Check = (ending: Ending) => void;

export const endingOf = async (run: Run): Promise<Omit<Ending, 'sleepersLeft'>> => {
  const jobs = new Map<string, Told>();
  for (const job of run.submitted) jobs.set(job, await tell(run, job));
  const letters = await run.ports.dead.list();
  if (!letters.ok) throw new Error(`the dead letters cannot be listed: ${letters.fault.detail}`);
  return {
    seed: run.seed,
    jobs,
    witness: run.witness,
    letters: letters.value,
    backlog: await backlogOf(run),
    defects: run.defects,
    deaths: run.deaths,
    calls: run.calls,
    injected: run.injected(),
    log: run.log,
  };
};

const backlogOf = async ({ ports }: Run): Promise<number> => {
  let all = 0;
  const add = async (service: ServiceName, of: string, lane: Lane): Promise<void> => {
    const stands = await ports.bus.standing({ service, pool: of as typeof pool, lane }); // a pool of this mesh
    if (!stands.ok) throw new Error(`the backlog cannot be read: ${stands.fault.detail}`);
    all += stands.value.waiting + stands.value.in_hand;
  };
  for (let shard = 0; shard < 16; shard++)
    for (const lane of ['submit', 'decide', 'call'] as const) await add('manager', String(shard), lane);
  for (const service of ['worker', 'tool-gateway', 'memory'] as const)
    for (const lane of ['decide', 'call'] as const) await add(service, pool, lane);
  return all;
};
