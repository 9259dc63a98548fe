export type { InvariantName } from './judge.ts';
export { type Outcome, type Simulation, simulate } from './simulate.ts';
