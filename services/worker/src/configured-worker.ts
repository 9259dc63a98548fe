import { type Json, PoolName } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import type { Service } from '@foldmesh/runtime';
import type { Definitions } from '@foldmesh/system';
import { hostSettingsOf, type Setup } from '@foldmesh/worlds';
import { workerService } from './service.ts';

/** A worker as its configuration has it. `exit` ends the process, for `debug.exit` where that is allowed. */
export const configuredWorker = (
  ports: Ports,
  { config, definitions, model }: Setup,
  exit: (code: number) => void,
): Service =>
  workerService(ports, {
    pool: PoolName.parse(config.pool),
    gatewayPool: defaultPool,
    slots: config.worker.slots,
    skills: definitions.skills,
    pipelines: pipelinesByName(definitions),
    agents: definitions.agents,
    model,
    exit: config.allow_exit ? exit : undefined,
    host: hostSettingsOf(config),
  });

/** Tools are called by name, and every gateway of the pool has the same. */
const defaultPool = PoolName.parse('default');

const pipelinesByName = ({ pipelines }: Definitions): ReadonlyMap<string, Json> =>
  new Map(
    pipelines.map(({ definition }) => [
      definition.name ?? '',
      definition as Json, // a checked pipeline came from JSON
    ]),
  );
