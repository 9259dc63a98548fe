import { ok } from '@foldmesh/envelope';
import { main, openProduction, partsOf } from '@foldmesh/worlds';
import { configuredWorker } from './configured-worker.ts';
import { builtInSkills } from './service.ts';

// Wiring. Nothing here decides anything.
await main('worker', openProduction, {
  loads: ['skills', 'pipelines', 'agents'],
  builtIn: () => ({ skills: builtInSkills(), tools: 'elsewhere' }),
  open: async ({ world, setup, exit }) => ok(partsOf(configuredWorker(world.ports, setup, exit))),
});
