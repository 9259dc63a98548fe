import { join } from 'node:path';
import type { ChildProcess } from '@foldmesh/testbed';

/** What a process weighs after its garbage was collected, in bytes. */
export interface Footprint {
  readonly rss: number;
  readonly heap: number;
}

/** What Node is told so that a service can be asked for it. */
export const footprintArguments: readonly string[] = [
  '--expose-gc',
  '--import',
  join(import.meta.dirname, 'footprint-child.ts'),
];

/** Asks a process that was started so; each answer has a number, and the caller counts. */
export const footprintOf = async (child: ChildProcess, asked: number): Promise<Footprint> => {
  child.kill('SIGUSR2');
  const line = await child.says(`{"footprint":${asked},`, 30_000);
  const { rss, heap } = JSON.parse(line) as Footprint; // as footprint-child.ts writes it
  return { rss, heap };
};
