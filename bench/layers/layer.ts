import type { Times } from '../measure/call-cost.ts';

/** One thing that a message pays for on its way. */
export interface Layer {
  readonly name: string;
  readonly times: Times;
  /** What its own cost is counted from: the layer that differs from it in nothing else. */
  readonly over?: string;
  /** What it leaves or sends. */
  readonly weight?: Weight;
}

export interface Weight {
  readonly of: string;
  bytes(): number | Promise<number>;
}
