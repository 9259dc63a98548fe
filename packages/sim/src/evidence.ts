import type { Fact } from '@foldmesh/ports';
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
  readonly defects: readonly string[];
  /** How long all was well before this, milliseconds of virtual time. */
  readonly healthyMs: number;
}

/** What a check of one invariant came to; `looked` at nothing, it has said nothing. */
export interface Verdict {
  readonly looked: number;
  readonly wrong: readonly string[];
}
