import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  type NatsServer,
  natsServer,
  type RedisServer,
  type RedisSettings,
  redisServer,
} from '@foldmesh/testbed';
import { meshProcess } from './mesh-process.ts';

export interface MeshChoice {
  readonly workers: number;
  /** Tasks that each worker carries out at once. */
  readonly slots: number;
  /** Whether there is a gateway, too. */
  readonly tools?: boolean;
  readonly syncAlways?: boolean;
  readonly appendonly?: RedisSettings['appendonly'] | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeArguments: readonly string[];
}

/** Servers, a manager, workers: all processes of their own. Disposing ends them. */
export interface OurMesh extends AsyncDisposable {
  readonly nats: NatsServer;
  readonly redis: RedisServer;
  readonly apiUrl: string;
  /** The servers first, then the services by what they are called. */
  readonly pids: Readonly<Record<string, number>>;
}

export const ourMesh = async (choice: MeshChoice): Promise<OurMesh> => {
  const { workers, slots, tools = false, syncAlways = false, appendonly, nodeArguments } = choice;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const nats = opened.use(await natsServer({ syncAlways }));
  const redis = opened.use(await redisServer(appendonly === undefined ? {} : { appendonly }));
  const port = await freePort();
  const environment = {
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    FOLDMESH_LOG: 'warn',
    FOLDMESH_API_PORT: String(port),
    FOLDMESH_WORKER_SLOTS: String(slots),
    ...choice.environment,
  };
  const services: (readonly [name: string, service: string])[] = [
    ...(tools ? [['tool gateway', 'tool-gateway'] as const] : []),
    ...Array.from({ length: workers }, (_, at) => [`worker ${at + 1}`, 'worker'] as const),
    ['manager', 'manager'],
  ];
  const starting = services.map(async ([name, service]) => {
    const child = opened.use(await meshProcess(service, environment, folder, nodeArguments));
    return [name, child.pid] as const;
  });
  // Where one does not start, the others have, and are to be ended.
  await Promise.allSettled(starting);
  const pids = { nats: nats.pid, redis: redis.pid, ...Object.fromEntries(await Promise.all(starting)) };
  const held = opened.move();
  return {
    nats,
    redis,
    apiUrl: `http://127.0.0.1:${port}`,
    pids,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
};
