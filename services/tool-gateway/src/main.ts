import { ok } from '@foldmesh/envelope';
import { main, openProduction, partsOf } from '@foldmesh/worlds';
import { builtInTools, configuredGateway } from './configured-gateway.ts';

// Wiring. Nothing here decides anything.
await main('tool-gateway', openProduction, {
  loads: ['tools'],
  builtIn: ({ config }) => ({
    skills: [],
    tools: builtInTools(config).map(({ definition }) => definition),
  }),
  open: async ({ world, setup }) => ok(partsOf(configuredGateway(world.ports, setup))),
});
