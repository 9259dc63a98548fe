import { meantText } from '@foldmesh/job';
import { z } from 'zod';
import { logLevels } from './json-log.ts';

/** One setting: where it can be said, what it may be, and what it is when nobody says it. */
export interface Field<T> {
  /** Names in the file, from the top. */
  readonly path: readonly string[];
  readonly variable: string;
  readonly schema: z.ZodType<T>;
  /** What a variable's text stands for; a text that is none of it stays one, and the schema says so. */
  readonly read: (text: string) => unknown;
  readonly fallback: T;
}

const asText = (text: string): unknown => text;
const asInteger = (text: string): unknown => (/^\d{1,15}$/.test(text) ? Number(text) : text);
const asSwitch = (text: string): unknown => ({ true: true, false: false, 1: true, 0: false })[text] ?? text;
const asList = (text: string): unknown => text.split(',').map((part) => part.trim());

const Folder = z.string().min(1, 'a folder').max(4096);
/** Concurrent handlers of one process. */
const Slots = z.int().min(1).max(1_000);
const Host = z
  .string()
  .max(255)
  .regex(
    /^(\*\.)?[A-Za-z0-9_.[\]:-]+$/,
    'a host is written as example.com, *.example.com or example.com:8080',
  );
const Hosts = z.array(Host).max(1_000);
const LogLevels = z.enum(logLevels);
const Port = z.int().min(0).max(65_535);
/** One address or several, separated by commas. */
const Servers = z.string().min(1).max(4096);
const Address = z.url({ protocol: /^https?$/, error: 'an address is written as http://host:8222' });
const Pool = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'a pool is letters, digits, _ and -');
const durabilities = ['best-effort', 'durable', 'replicated'] as const;
const Durability = z.enum(durabilities);
const Replicas = z.union([z.literal(1), z.literal(3), z.literal(5)]);
const Count = z.int().min(1).max(10_000_000);
const Bytes = z
  .int()
  .min(1024 * 1024)
  .max(Number.MAX_SAFE_INTEGER);
/** Below a second one slow answer of a server would already lose a hold. */
const AckWait = z.int().min(1_000).max(600_000);
const Grace = z.int().min(0).max(3_600_000);

/** Variables that many tools know alike, and that are therefore not called after us. */
const outsideNames: ReadonlySet<string> = new Set(['NATS_URL', 'REDIS_URL']);

const field = <T>(
  path: string,
  variable: string,
  schema: z.ZodType<T>,
  read: (text: string) => unknown,
  fallback: T,
): Field<T> => ({
  path: path.split('.'),
  variable: outsideNames.has(variable) ? variable : `FOLDMESH_${variable}`,
  schema,
  read,
  fallback,
});

/**
 * The one list of settings. A field without a fallback of its own is absent. Folders of definitions have none: what
 * happens to be called `tools` in the current folder is not ours to run.
 */
export const fields = {
  skills: field('skills', 'SKILLS', Folder.optional(), asText, undefined),
  tools: field('tools', 'TOOLS', Folder.optional(), asText, undefined),
  pipelines: field('pipelines', 'PIPELINES', Folder.optional(), asText, undefined),
  agents: field('agents', 'AGENTS', Folder.optional(), asText, undefined),
  scripts: field('scripts', 'SCRIPTS', Folder.optional(), asText, undefined),
  policies: field('policies', 'POLICIES', Folder.optional(), asText, undefined),
  files_root: field('files_root', 'FILES_ROOT', Folder, asText, '.'),
  output: field('output', 'OUTPUT', Folder, asText, 'out'),
  worker_slots: field('worker.slots', 'WORKER_SLOTS', Slots, asInteger, 8),
  gateway_slots: field('gateway.slots', 'GATEWAY_SLOTS', Slots, asInteger, 16),
  log: field('log', 'LOG', LogLevels, asText, 'warn'),
  allow_exit: field('allow_exit', 'ALLOW_EXIT', z.boolean(), asSwitch, false),
  http_allow: field('http.allow', 'HTTP_ALLOW', Hosts.optional(), asList, undefined),
  nats_url: field('nats.url', 'NATS_URL', Servers, asText, 'nats://127.0.0.1:4222'),
  nats_monitor: field('nats.monitor_url', 'NATS_MONITOR_URL', Address.optional(), asText, undefined),
  nats_replicas: field('nats.replicas', 'NATS_REPLICAS', Replicas, asInteger, 1),
  nats_journal_bytes: field(
    'nats.journal_bytes_max',
    'NATS_JOURNAL_BYTES_MAX',
    Bytes.optional(),
    asInteger,
    undefined,
  ),
  nats_work_bytes: field(
    'nats.work_bytes_max',
    'NATS_WORK_BYTES_MAX',
    Bytes.optional(),
    asInteger,
    undefined,
  ),
  redis_url: field('redis.url', 'REDIS_URL', Servers, asText, 'redis://127.0.0.1:6379'),
  durability: field('durability', 'DURABILITY', Durability, asText, 'best-effort'),
  pool: field('pool', 'POOL', Pool, asText, 'default'),
  api_address: field('api.address', 'API_ADDRESS', Host, asText, '127.0.0.1'),
  api_port: field('api.port', 'API_PORT', Port, asInteger, 8080),
  api_keys: field('api.keys', 'API_KEYS', Folder.optional(), asText, undefined),
  health_address: field('health.address', 'HEALTH_ADDRESS', Host, asText, '127.0.0.1'),
  health_port: field('health.port', 'HEALTH_PORT', Port, asInteger, 8081),
  memory_path: field('memory.path', 'MEMORY_PATH', Folder, asText, 'memory.sqlite'),
  backlog_max: field('admission.backlog_max', 'ADMISSION_BACKLOG_MAX', Count, asInteger, 10_000),
  door_max: field('admission.door_max', 'ADMISSION_DOOR_MAX', Count, asInteger, 100_000),
  ack_wait_ms: field('ack_wait_ms', 'ACK_WAIT_MS', AckWait, asInteger, 6_000),
  grace_ms: field('grace_ms', 'GRACE_MS', Grace, asInteger, 25_000),
} as const;

/** The file as people write it: a field that it does not know is an error that names it. */
export const ConfigFile = z.strictObject({
  skills: Folder.optional(),
  tools: Folder.optional(),
  pipelines: Folder.optional(),
  agents: Folder.optional(),
  /** Parts of scripted models, one file each: the model `scripted/<name>`. */
  scripts: Folder.optional(),
  policies: Folder.optional(),
  files_root: Folder.optional(),
  output: Folder.optional(),
  worker: z.strictObject({ slots: Slots.optional() }).optional(),
  gateway: z.strictObject({ slots: Slots.optional() }).optional(),
  log: LogLevels.optional(),
  allow_exit: z.boolean().optional(),
  http: z.strictObject({ allow: Hosts.optional() }).optional(),
  nats: z
    .strictObject({
      url: Servers.optional(),
      /** The server's monitoring port: only there it says how often it syncs. */
      monitor_url: Address.optional(),
      replicas: Replicas.optional(),
      /** Bounds of streams: new jobs are turned away when one is 80 % full. */
      journal_bytes_max: Bytes.optional(),
      work_bytes_max: Bytes.optional(),
    })
    .optional(),
  redis: z.strictObject({ url: Servers.optional() }).optional(),
  /** What an accepted job must survive; start-up is refused where the servers cannot. */
  durability: Durability.optional(),
  /** Which workers or gateways this process is one of. */
  pool: Pool.optional(),
  api: z
    .strictObject({
      address: Host.optional(),
      port: Port.optional(),
      /** The file of keys. Without one callers need none, and only this machine may call. */
      keys: Folder.optional(),
    })
    .optional(),
  health: z.strictObject({ address: Host.optional(), port: Port.optional() }).optional(),
  memory: z.strictObject({ path: Folder.optional() }).optional(),
  /** How much may wait, in the pools a job needs and at the door, before a submit is turned away. */
  admission: z.strictObject({ backlog_max: Count.optional(), door_max: Count.optional() }).optional(),
  /** How long a message is held, and a lease runs, before somebody else takes over. */
  ack_wait_ms: AckWait.optional(),
  /** How long work in hand has to end once the process is asked to. */
  grace_ms: Grace.optional(),
});

/** Names the file itself. */
export const fileVariable = 'FOLDMESH_CONFIG';

/** What the command reads to find a mesh; no setting of one. */
const commandVariables: readonly string[] = ['FOLDMESH_URL', 'FOLDMESH_API_KEY'];

/** The variables that begin like ours and are none: a misspelt setting must not be passed over. */
export const unknownVariables = (
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  const known = [fileVariable, ...Object.values(fields).map(({ variable }) => variable)];
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('FOLDMESH_') && !known.includes(name) && !commandVariables.includes(name),
  );
  return unknown
    .filter((name) => !name.startsWith('FOLDMESH_TEST_')) // those are the test tools'
    .sort()
    .map(
      (name) => `${name}: there is no such variable; there are ${known.join(', ')}${meantText(name, known)}`,
    );
};
