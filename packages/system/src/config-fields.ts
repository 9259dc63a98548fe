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

const field = <T>(
  path: string,
  variable: string,
  schema: z.ZodType<T>,
  read: (text: string) => unknown,
  fallback: T,
): Field<T> => ({
  path: path.split('.'),
  variable: `FOLDMESH_${variable}`,
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
});

/** Names the file itself. */
export const fileVariable = 'FOLDMESH_CONFIG';

/** The variables that begin like ours and are none: a misspelt setting must not be passed over. */
export const unknownVariables = (
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  const known = [fileVariable, ...Object.values(fields).map(({ variable }) => variable)];
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('FOLDMESH_') && !known.includes(name),
  );
  return unknown
    .filter((name) => !name.startsWith('FOLDMESH_TEST_')) // those are the test tools'
    .sort()
    .map((name) => `${name}: there is no such variable; there are ${known.join(', ')}`);
};
