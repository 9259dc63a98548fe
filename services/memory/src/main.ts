import { ok } from '@foldmesh/envelope';
import { sqliteMemory } from '@foldmesh/sqlite';
import { main, openProduction, partsOf } from '@foldmesh/worlds';
import { configuredMemory } from './configured-memory.ts';

// Wiring. Nothing here decides anything.
await main('memory', openProduction, {
  loads: [],
  builtIn: () => ({ skills: [], tools: 'elsewhere' }),
  open: async ({ world, setup }) => {
    const memory = await sqliteMemory({ path: setup.config.memory.path, log: world.ports.log });
    if (!memory.ok) return memory;
    const ports = { ...world.ports, memory: memory.value };
    return ok(partsOf(configuredMemory(ports, setup), { close: memory.value }));
  },
});
