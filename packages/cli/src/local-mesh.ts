import { join } from 'node:path';
import type { Result } from '@foldmesh/envelope';
import { ok } from '@foldmesh/envelope';
import { type CatalogueView, catalogueView } from '@foldmesh/manager';
import type { Ports } from '@foldmesh/ports';
import { jsonLog, systemClock, systemFiles, systemHttp, systemRandom } from '@foldmesh/system';
import { embeddedWorld } from '@foldmesh/worlds';
import { allServices, type Mesh, startAll } from './all.ts';
import type { Setup } from './setup.ts';

/** The whole mesh in this process, started. */
export interface LocalMesh {
  readonly ports: Ports;
  readonly mesh: Mesh;
  readonly catalogue: CatalogueView;
  readonly durability: string;
  /** Where the files of a job are, once it has written some. */
  readonly filesOf: (tenant: string, job: string) => string;
}

export const startLocalMesh = async (
  { config, definitions, model }: Pick<Setup, 'config' | 'definitions' | 'model'>,
  exit: (code: number) => void,
  err: (text: string) => void,
): Promise<Result<LocalMesh>> => {
  const log = jsonLog({ level: config.log, write: err });
  const { ports, durability } = embeddedWorld({ clock: systemClock, random: systemRandom, log });
  const filesOf = (tenant: string, job: string): string => join(config.output, tenant, job);
  const services = allServices(ports, {
    definitions,
    workerSlots: config.worker.slots,
    gatewaySlots: config.gateway.slots,
    files: systemFiles(config.files_root),
    outputOf: (tenant, job) => systemFiles(filesOf(tenant, job)),
    http: systemHttp(config.http.allow === undefined ? {} : { allow: config.http.allow }),
    allow: config.http.allow,
    model,
    exit: config.allow_exit ? exit : undefined,
  });
  const mesh = await startAll(services);
  if (!mesh.ok) return mesh;
  const catalogue = catalogueView(ports);
  await catalogue.refresh();
  return ok({ ports, mesh: mesh.value, catalogue, durability, filesOf });
};
