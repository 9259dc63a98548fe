export { type EmbeddedChoice, type EmbeddedWorld, embeddedWorld } from './embedded.ts';
export type { Life } from './life.ts';
export { mortalPorts } from './mortal-ports.ts';
export {
  type Incarnation,
  type SimulationChoice,
  type SimulationPorts,
  type SimulationWorld,
  simulationWorld,
} from './simulation.ts';
