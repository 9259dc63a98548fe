import { findBinary } from './server-binary.ts';
import { type Ports, type ServerProcess, serverProcess } from './server-process.ts';
import { tcpExchange } from './tcp-exchange.ts';

/** What a Redis server of a test may be told; without any of it nothing is stored on disk and memory has no limit. */
export interface RedisSettings {
  readonly port?: number;
  /** Whether writes go to a log on disk, and how often that is synced; absent, nothing survives the process. */
  readonly appendonly?: 'always' | 'everysec' | 'no';
  readonly memoryBytesMax?: number;
  /** What goes where memory is full, as Redis names it (`noeviction`, `allkeys-lru`). */
  readonly policy?: string;
  /** The program; `findBinary` finds it where it is absent. */
  readonly binary?: string;
}

/** A Redis server, or a Valkey one. */
export interface RedisServer extends ServerProcess {}

/** Starts a Redis server on 127.0.0.1 and waits until it answers and has loaded what it stored. */
export const redisServer = async (settings: RedisSettings = {}): Promise<RedisServer> => {
  const binary = settings.binary ?? (await findBinary('redis')).path;
  return serverProcess({
    name: 'redis-server',
    scheme: 'redis',
    port: settings.port,
    command: async ({ port }, folder) => [binary, ...argumentsOf(port, folder, settings)],
    answer: answerOf,
  });
};

const argumentsOf = (port: number, folder: string, settings: RedisSettings): string[] => {
  const { appendonly, memoryBytesMax, policy } = settings;
  return Object.entries({
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: appendonly === undefined ? 'no' : 'yes',
    ...(appendonly === undefined ? {} : { appendfsync: appendonly }),
    ...(memoryBytesMax === undefined ? {} : { maxmemory: memoryBytesMax }),
    ...(policy === undefined ? {} : { 'maxmemory-policy': policy }),
  }).flatMap(([name, value]) => [`--${name}`, String(value)]);
};

/** It tells the number of its process, by which we know that it is ours, and whether it is still reading what it stored. */
const answerOf = async ({ port }: Ports, pid: number): Promise<string> => {
  const words = 'INFO server\r\nINFO persistence\r\n';
  const { input } = await tcpExchange({ port, words, until: /^loading:[01]\r\n/m, withinMs: 2_000 });
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*)\r\n`, 'm').exec(input)?.[1];
  if (field('process_id') !== String(pid)) throw new Error(`port ${port} is served by another process`);
  if (field('loading') !== '0') throw new Error('it is still reading what it stored');
  return field('valkey_version') ?? field('redis_version') ?? '';
};
