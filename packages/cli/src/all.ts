import { configuredManager } from '@foldmesh/manager';
import { configuredMemory, type MemoryPorts } from '@foldmesh/memory';
import type { Service } from '@foldmesh/runtime';
import { configuredGateway } from '@foldmesh/tool-gateway';
import { configuredWorker } from '@foldmesh/worker';
import type { Setup } from '@foldmesh/worlds';

/** The one list of the services, in the order in which they start: what can be done is known before the first job is read. */
export const allServices = (
  ports: MemoryPorts,
  setup: Setup,
  exit: (code: number) => void,
): readonly Service[] => [
  configuredGateway(ports, setup),
  configuredMemory(ports, setup),
  configuredWorker(ports, setup, exit),
  configuredManager(ports, setup),
];
