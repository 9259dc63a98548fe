import type { Service } from '@foldmesh/runtime';
import { hostSettingsOf, type Setup } from '@foldmesh/worlds';
import { type MemoryPorts, memoryService } from './service.ts';

/** Memory as its configuration has it. */
export const configuredMemory = (ports: MemoryPorts, { config }: Pick<Setup, 'config'>): Service =>
  memoryService(ports, { slots: config.gateway.slots, host: hostSettingsOf(config) });
