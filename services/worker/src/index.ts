export { configuredWorker } from './configured-worker.ts';
export { type Defined, toolsNeeded } from './offers.ts';
export { builtInSkills, type WorkerSettings, workerService } from './service.ts';
