import type { Fact } from '@foldmesh/ports';
import type { Foreign, Observer } from './observed.ts';
import type { PlannedJob } from './random-job.ts';
import type { ToldJob } from './told.ts';
import type { Witness } from './witness.ts';

/** What is there when a story is over. */
export interface Evidence {
  readonly jobs: readonly {
    readonly planned: PlannedJob;
    readonly told: ToldJob;
    readonly indexed: unknown;
  }[];
  readonly witness: Witness;
  readonly facts: readonly Fact[];
  /** What was seen step by step. */
  readonly observer: Observer;
  /** Messages that nobody here can read. */
  readonly foreign: readonly Foreign[];
  readonly leases: number;
  /** Work messages of each job that nobody had acked when all was quiet, and the services still ran. */
  readonly unacked: ReadonlyMap<string, number>;
  /** Jobs that the dedup store has no mark of any more, or never had. */
  readonly unmarked: readonly string[];
  /** Whether anything has happened that can make a hold lapse under its holder: somebody died, stood still, or was cut off. */
  readonly holdsMayLapse: boolean;
  /** Who still waits for a later instant when every service has been stopped; the dead wait for ever. */
  readonly sleepers: number;
  readonly deaths: number;
  readonly defects: readonly string[];
  /** How long all was well before this, milliseconds of virtual time. */
  readonly healthyMs: number;
}

/** What a check of one invariant came to; `looked` at nothing, it has said nothing. */
export interface Verdict {
  readonly looked: number;
  readonly wrong: readonly string[];
}
