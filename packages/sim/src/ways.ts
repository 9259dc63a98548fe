import { blowKinds } from './blows.ts';
import { routes } from './coverage.ts';
import { faultNames } from './plot.ts';

/** All that a large run has to have met: every fault, every blow, and every move of the three tables that this build makes. */
export const ways: readonly string[] = [
  ...[...faultNames, 'death', 'lost call'].map((name) => `fault ${name}`),
  ...blowKinds.map((kind) => `blow ${kind}`),
  ...routes,
];
