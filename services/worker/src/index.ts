export { configuredWorker } from './configured-worker.ts';
export type { Defined } from './offers.ts';
export { builtInSkills, type WorkerSettings, workerService } from './service.ts';
