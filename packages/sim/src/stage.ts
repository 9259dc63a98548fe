import type { SimulationWorld } from '@foldmesh/worlds';
import type { Coverage } from './coverage.ts';
import type { Crew } from './crew.ts';
import type { Foreign, Observer } from './observed.ts';
import type { Plot } from './plot.ts';
import type { Witness } from './witness.ts';

/** What one history is played with. */
export interface Stage {
  readonly plot: Plot;
  readonly world: SimulationWorld;
  readonly outside: Witness;
  readonly crew: Crew;
  readonly observer: Observer;
  readonly coverage: Coverage;
  readonly hasty: boolean;
  readonly foreign: Foreign[];
}
