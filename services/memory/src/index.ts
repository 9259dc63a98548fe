export { configuredMemory } from './configured-memory.ts';
export { type MemoryPorts, type MemorySettings, memoryService } from './service.ts';
