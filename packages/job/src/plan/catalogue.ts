import type { Digest, Json, PoolName, RunKind } from '@foldmesh/envelope';

/** One thing that a pool can carry out. */
export interface Offer {
  readonly kind: RunKind;
  readonly name: string;
  /** The pool of workers that a task of this kind is assigned to. */
  readonly pool: PoolName;
  /** Of the definition; a job's first entry pins it. */
  readonly digest: Digest;
  /** Moving median of its duration in milliseconds, once some have been seen. */
  readonly cost_ms?: number;
  /** Of an agent: the tools that gateways have to offer before it can run. A pool of an older build does not say. */
  readonly needs_tools?: readonly string[];
}

/** What the mesh can do, as far as planning needs to know it. */
export interface Catalogue {
  find(kind: RunKind, name: string): Offer | undefined;
  /** Names of one kind, for an error that helps. */
  names(kind: RunKind): readonly string[];
  /** Tasks that the workers of a pool can carry out at once. */
  slots(pool: PoolName): number;
  /** What is wrong with a pipeline written inside a job, one sentence each. */
  pipelineProblems(steps: Json): readonly string[];
}
