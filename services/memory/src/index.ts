export { type MemoryPorts, type MemorySettings, memoryService } from './service.ts';
