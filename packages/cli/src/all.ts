import { fail, type Json, ok, PoolName, type Result } from '@foldmesh/envelope';
import { managerService } from '@foldmesh/manager';
import { type MemoryPorts, memoryService } from '@foldmesh/memory';
import type { Files, Http, Model } from '@foldmesh/ports';
import type { Running, Service } from '@foldmesh/runtime';
import type { Tool } from '@foldmesh/sdk';
import type { Definitions } from '@foldmesh/system';
import { filesTools, gatewayService, httpTool, personTool } from '@foldmesh/tool-gateway';
import { workerService } from '@foldmesh/worker';

/** What the services of one process are told, beside their ports. */
export interface MeshSettings {
  readonly definitions: Definitions;
  readonly workerSlots: number;
  readonly gatewaySlots: number;
  readonly files: Files;
  readonly outputOf: (tenant: string, job: string) => Files;
  readonly http: Http;
  /** Hosts that `http.get` may ask; all when absent. */
  readonly allow: readonly string[] | undefined;
  readonly model: Model;
  readonly exit: ((code: number) => void) | undefined;
}

const pool = PoolName.parse('default');

/** The one list of the services, in the order in which they start: what can be done is known before the first job is read. */
export const allServices = (ports: MemoryPorts, settings: MeshSettings): readonly Service[] => [
  gatewayService(ports, {
    pool,
    slots: settings.gatewaySlots,
    tools: [...builtInTools(settings), ...settings.definitions.tools],
  }),
  memoryService(ports, { slots: settings.gatewaySlots }),
  workerService(ports, {
    pool,
    gatewayPool: pool,
    slots: settings.workerSlots,
    skills: settings.definitions.skills,
    pipelines: pipelinesByName(settings.definitions),
    agents: settings.definitions.agents,
    model: settings.model,
    exit: settings.exit,
  }),
  managerService(ports),
];

const pipelinesByName = ({ pipelines }: Definitions): ReadonlyMap<string, Json> =>
  new Map(
    pipelines.map(({ definition }) => [
      definition.name ?? '',
      definition as Json, // a checked pipeline came from JSON
    ]),
  );

export const builtInTools = ({
  files,
  outputOf,
  http,
  allow,
}: Pick<MeshSettings, 'files' | 'outputOf' | 'http' | 'allow'>): readonly { readonly definition: Tool }[] =>
  [
    ...filesTools({ root: files, output: outputOf }),
    httpTool({ http, ...(allow !== undefined && { allow }) }),
    personTool(),
  ].map((definition) => ({ definition }));

export interface Mesh {
  /** Resolves with what went wrong if a service ends by a defect. */
  readonly failed: Promise<unknown>;
  stop(graceMs: number): Promise<void>;
}

/** Starts them one after the other; what had started is stopped again when one cannot. */
export const startAll = async (services: readonly Service[]): Promise<Result<Mesh>> => {
  const running: Running[] = [];
  const stop = async (graceMs: number): Promise<void> => {
    // The last started goes first: nothing new is decided while work in hand ends.
    for (const service of running.toReversed()) await service.stop(graceMs);
  };
  for (const service of services) {
    const started = await service.start();
    if (!started.ok) {
      await stop(0);
      return fail({ ...started.fault, detail: `${service.name}: ${started.fault.detail}` });
    }
    running.push(started.value);
  }
  return ok({ failed: Promise.race(running.map(({ failed }) => failed)), stop });
};
