import { ok } from '@foldmesh/envelope';
import { steadyPorts } from '@foldmesh/runtime';
import { apiAccess } from '@foldmesh/system';
import { main, openProduction, partsOf } from '@foldmesh/worlds';
import { catalogueView } from './catalogue-view.ts';
import { configuredManager } from './configured-manager.ts';
import { managerApp } from './http/manager-app.ts';
import { openAccess } from './keys/api-access.ts';

// Wiring. Nothing here decides anything.
await main('manager', openProduction, {
  loads: [],
  builtIn: () => ({ skills: [], tools: 'elsewhere' }),
  open: async ({ world, setup, draining }) => {
    const { ports, durability } = world;
    const catalogue = catalogueView(steadyPorts(ports));
    const known = await catalogue.refresh();
    if (!known.ok) return known;
    const opened = await openAccess(setup.config, ports);
    if (!opened.ok) return opened;
    ports.log('warn', 'who may call the API', { access: apiAccess(setup.config.api) });
    const { access, remarks } = opened.value;
    const api = managerApp({ ports, catalogue, durability, draining, ...access });
    return ok(partsOf(configuredManager(ports, setup), { api, remarks, close: opened.value }));
  },
});
