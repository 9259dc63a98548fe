import type { Watch } from '@foldmesh/embedded';
import type { Json, Sealed } from '@foldmesh/envelope';
import type { JobEvent, JobState } from '@foldmesh/job';
import type { DeadLetter, RecordId } from '@foldmesh/ports';
import type { RunEvent, RunState } from '@foldmesh/run';
import type { InvariantName } from './invariants.ts';
import type { SeenEntity } from './seen-entity.ts';
import type { Row } from './witness.ts';

/** A message that only a newer build could have read. */
export interface Foreign {
  readonly message: Sealed;
}

/** A job as what is stored of it shows, at this moment. */
export interface SeenJob extends SeenEntity<JobState, JobEvent> {
  /** By task. */
  readonly runs: Map<string, SeenEntity<RunState, RunEvent>>;
  indexed: Json | undefined;
  /** Work messages that nobody has acked. */
  unacked: number;
}

/** Looks at every step at what has been stored, and holds M2, M4, M5, M7, M10 and the newest prefix of M8 against it. */
export interface Observer {
  readonly watch: Partial<Watch>;
  readonly jobs: ReadonlyMap<string, SeenJob>;
  /** What is violated so far, each said once. */
  wrong(): readonly string[];
  /** How many things each invariant was held against. */
  readonly looked: ReadonlyMap<InvariantName, number>;
  readonly letters: readonly DeadLetter[];
  readonly struck: readonly RecordId[];
  readonly strikes: readonly RecordId[];
  /** A service has asked and asked while no time passed. */
  restless(name: string): void;
  isStuck(): boolean;
  happened(row: Row): void;
  /** Looks at everything again, whatever has changed since. */
  lookAtAll(): void;
  /** A model's reply has arrived at whoever asked for this task. */
  served(task: string, usage: Json): void;
}
