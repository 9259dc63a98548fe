import { type EmbeddedSettings, embedded, type Faults } from '@foldmesh/embedded';
import type { Clock, Log, Memory, Ports, Random } from '@foldmesh/ports';

/** One process's whole mesh: every store in memory, files and HTTP real. */
export interface EmbeddedWorld {
  readonly ports: Ports & { readonly memory: Memory };
  /** What a job record says of how long an accepted job lives: as long as this process. */
  readonly durability: 'process';
}

export interface EmbeddedChoice {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly faults?: Partial<Faults>;
  readonly settings?: Partial<EmbeddedSettings>;
}

/** The same services as in production find here everything they need, and nothing of it outlives the process. */
export const embeddedWorld = (choice: EmbeddedChoice): EmbeddedWorld => {
  const { clock, random, log } = choice;
  return { ports: { ...embedded(choice), clock, random, log }, durability: 'process' };
};
