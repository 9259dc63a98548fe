export type { InvariantName } from './invariants.ts';
export { type Outcome, type Simulation, simulate } from './simulate.ts';
