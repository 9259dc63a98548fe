export type { Durability } from './durability.ts';
export { type EmbeddedChoice, type EmbeddedWorld, embeddedWorld } from './embedded.ts';
export { hostSettingsOf } from './host-settings.ts';
export { type Fate, type Life, lifeOf } from './life.ts';
export { main, type OpenedProcess, type ProcessParts, type ProcessPlan, partsOf } from './main.ts';
export { mortalPorts } from './mortal-ports.ts';
export { openProduction, type ProductionChoice, type ProductionWorld } from './production.ts';
export { type Cut, type Net, netOf } from './reach.ts';
export { type NatsReport, type PoolReport, type ServerReport, serverReport } from './server-report.ts';
export { type DefinitionKind, loadSetup, type Setup } from './setup.ts';
export {
  byChance,
  type Incarnation,
  type SimulationChoice,
  type SimulationPorts,
  type SimulationWorld,
  simulationWorld,
} from './simulation.ts';
export { type Mesh, startAll } from './start-services.ts';
export { untilSignal, whenAborted } from './until-signal.ts';
