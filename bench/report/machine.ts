import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { findBinary } from '@foldmesh/testbed';

/** What was measured on, read from the system. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly nats: string;
  readonly redis: string;
}

export const thisMachine = async (): Promise<Machine> => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: `${type()} ${release()}`,
  node: process.versions.node,
  nats: (await findBinary('nats')).version,
  redis: (await findBinary('redis')).version,
});

/** Processes that wanted to run, over the last minute: above the number of cores, others have been measured too. */
export const loadNow = (): number => Number((loadavg()[0] ?? 0).toFixed(1));

export const machineText = ({ cores, cpu, memoryGiB, kernel, node, nats, redis }: Machine): string =>
  `${cores} cores (${cpu}), ${memoryGiB} GiB, ${kernel}; Node ${node}, nats-server ${nats}, redis-server ${redis}`;
