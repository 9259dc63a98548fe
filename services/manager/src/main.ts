import { ok, TenantId } from '@foldmesh/envelope';
import { steadyPorts } from '@foldmesh/runtime';
import { main, openProduction, partsOf } from '@foldmesh/worlds';
import { catalogueView } from './catalogue-view.ts';
import { configuredManager } from './configured-manager.ts';
import { loopbackNames, managerApp } from './http/manager-app.ts';

// Wiring. Nothing here decides anything.
await main('manager', openProduction, {
  loads: [],
  builtIn: () => ({ skills: [], tools: 'elsewhere' }),
  open: async ({ world, setup, draining }) => {
    const { ports, durability } = world;
    const catalogue = catalogueView(steadyPorts(ports));
    const known = await catalogue.refresh();
    if (!known.ok) return known;
    const tenant = TenantId.parse('local');
    const api = managerApp({ ports, catalogue, durability, tenant, hosts: loopbackNames, draining });
    return ok(partsOf(configuredManager(ports, setup), { api }));
  },
});
