import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isJsonObject, type Json } from '@foldmesh/envelope';
import { problemsIn } from '@foldmesh/job';
import { type ApiSettings, apiTooOpen } from './api-access.ts';
import { ConfigFile, type Field, fields, fileVariable, unknownVariables } from './config-fields.ts';
import { codeOf } from './file-faults.ts';
import type { LogLevel } from './json-log.ts';
import type { DefinitionFolders } from './load-definitions.ts';
import { withoutPassword } from './without-password.ts';
import { type ParsedText, problemText, yamlText } from './yaml-text.ts';

/** What is in force, with the names of the file. Folders are absolute paths. */
export interface Config extends DefinitionFolders {
  /** What the tools `files.list`, `files.read` and `files.search` see. */
  readonly files_root: string;
  /** Where `files.write` puts things, in a folder for each job. */
  readonly output: string;
  /** Where the parts of scripted models are. */
  readonly scripts: string | undefined;
  readonly worker: { readonly slots: number };
  readonly gateway: { readonly slots: number };
  readonly log: LogLevel;
  /** Whether the skill `debug.exit` may end its process. */
  readonly allow_exit: boolean;
  /** Hosts that `http.get` may ask; all when absent. */
  readonly http: { readonly allow?: readonly string[] };
  readonly nats: {
    readonly url: string;
    readonly monitor_url?: string;
    readonly replicas: 1 | 3 | 5;
    readonly journal_bytes_max?: number;
    readonly work_bytes_max?: number;
  };
  readonly redis: { readonly url: string };
  readonly durability: 'best-effort' | 'durable' | 'replicated';
  readonly pool: string;
  readonly api: ApiSettings;
  readonly health: { readonly address: string; readonly port: number };
  readonly memory: { readonly path: string };
  readonly admission: { readonly backlog_max: number; readonly door_max: number };
  readonly ack_wait_ms: number;
  readonly grace_ms: number;
}

/** One setting as `foldmesh doctor` prints it; `from` is `default`, `foldmesh.yaml:3`, or the name of a variable. */
export interface Setting {
  readonly name: string;
  readonly value: Json | undefined;
  readonly from: string;
}

interface ConfigSources {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly folder?: string;
  /** A file that must be there; `foldmesh.yaml` in the current folder need not. */
  readonly file?: string | undefined;
}

/** The environment over one optional file over the defaults, or everything that is wrong with them. */
export const loadConfig = async ({
  environment = process.env,
  folder = process.cwd(),
  file,
}: ConfigSources = {}): Promise<
  | { readonly config: Config; readonly settings: readonly Setting[] }
  | { readonly problems: readonly string[] }
> => {
  const named = file ?? nonEmpty(environment[fileVariable]);
  const source = await readSource(folder, named);
  if ('problems' in source) return { problems: [...source.problems, ...unknownVariables(environment)] };
  const reader: Reader = {
    environment,
    folder,
    source,
    settings: [],
    problems: [...unknownVariables(environment)],
  };
  const config = configOf(reader);
  const open = apiTooOpen(config.api);
  const problems = [
    ...reader.problems,
    ...(await missingFolders(reader)),
    ...(open === undefined ? [] : [`${fromOf(reader, 'api.address')}: ${open}`]),
  ];
  return problems.length > 0 ? { problems } : { config, settings: reader.settings };
};

interface Source {
  readonly name: string;
  /** The folder that paths in the file are relative to. */
  readonly base: string;
  readonly parsed: ParsedText;
}

interface Reader {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly source: Source;
  readonly settings: Setting[];
  readonly problems: string[];
}

const nothing: ParsedText = { value: {}, lineOf: () => undefined };

const readSource = async (
  folder: string,
  named: string | undefined,
): Promise<Source | { readonly problems: readonly string[] }> => {
  const name = named ?? 'foldmesh.yaml';
  const path = resolve(folder, name);
  const text = await textOf(path);
  if (typeof text === 'object') return { problems: [`${name} cannot be read (${text.code})`] };
  if (text === undefined && named !== undefined) return { problems: [`${name}: there is no such file`] };
  const parsed = text === undefined || text.trim() === '' ? nothing : yamlText(text, name);
  if ('problems' in parsed) return parsed;
  const checked = ConfigFile.safeParse(parsed.value ?? {});
  if (checked.success) return { name, base: dirname(path), parsed };
  return {
    problems: problemsIn(ConfigFile, checked.error.issues).map((problem) =>
      problemText(name, parsed, problem),
    ),
  };
};

const textOf = async (path: string): Promise<string | undefined | { readonly code: string }> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? undefined : { code };
  }
};

const configOf = (reader: Reader): Config => {
  const { folder } = reader;
  const allow = inForce(reader, fields.http_allow);
  return {
    skills: namedPath(reader, fields.skills),
    tools: namedPath(reader, fields.tools),
    pipelines: namedPath(reader, fields.pipelines),
    agents: namedPath(reader, fields.agents),
    scripts: namedPath(reader, fields.scripts),
    policies: namedPath(reader, fields.policies),
    files_root: folderOf(reader, fields.files_root, folder),
    output: folderOf(reader, fields.output, folder),
    worker: { slots: inForce(reader, fields.worker_slots) },
    gateway: { slots: inForce(reader, fields.gateway_slots) },
    log: inForce(reader, fields.log),
    allow_exit: inForce(reader, fields.allow_exit),
    http: allow === undefined ? {} : { allow },
    ...serversOf(reader),
  };
};

const natsOf = (reader: Reader): Config['nats'] => {
  const url = inForce(reader, fields.nats_url);
  const monitor_url = inForce(reader, fields.nats_monitor);
  const replicas = inForce(reader, fields.nats_replicas);
  const journal_bytes_max = inForce(reader, fields.nats_journal_bytes);
  const work_bytes_max = inForce(reader, fields.nats_work_bytes);
  return {
    url,
    replicas,
    ...(monitor_url !== undefined && { monitor_url }),
    ...(journal_bytes_max !== undefined && { journal_bytes_max }),
    ...(work_bytes_max !== undefined && { work_bytes_max }),
  };
};

const apiOf = (reader: Reader): ApiSettings => {
  const address = inForce(reader, fields.api_address);
  const port = inForce(reader, fields.api_port);
  const keys = namedPath(reader, fields.api_keys);
  return { address, port, ...(keys !== undefined && { keys }) };
};

/** What only a mesh of several processes asks for. */
const serversOf = (reader: Reader) => {
  return {
    nats: natsOf(reader),
    redis: { url: inForce(reader, fields.redis_url) },
    durability: inForce(reader, fields.durability),
    pool: inForce(reader, fields.pool),
    api: apiOf(reader),
    health: {
      address: inForce(reader, fields.health_address),
      port: inForce(reader, fields.health_port),
    },
    memory: { path: folderOf(reader, fields.memory_path, reader.folder) },
    admission: {
      backlog_max: inForce(reader, fields.backlog_max),
      door_max: inForce(reader, fields.door_max),
    },
    ack_wait_ms: inForce(reader, fields.ack_wait_ms),
    grace_ms: inForce(reader, fields.grace_ms),
  };
};

interface Said<T> {
  readonly value: T;
  readonly from: string;
  readonly by: 'default' | 'file' | 'variable';
}

const inForce = <T>(reader: Reader, field: Field<T>): T => {
  const { value, from } = lookUp(reader, field);
  settle(reader, field, value, from);
  return value;
};

/** A path in the file is relative to the file, one in a variable to the current folder, and the default to `base`. */
const folderOf = (reader: Reader, field: Field<string>, base: string): string => {
  const said = lookUp(reader, field);
  const path = resolve(baseOf(reader, said, base), said.value);
  settle(reader, field, path, said.from);
  return path;
};

/** The same for a folder, or a file, that there is only where somebody names it. */
const namedPath = (reader: Reader, field: Field<string | undefined>): string | undefined => {
  const said = lookUp(reader, field);
  const path =
    said.value === undefined ? undefined : resolve(baseOf(reader, said, reader.folder), said.value);
  settle(reader, field, path, said.from);
  return path;
};

const baseOf = (reader: Reader, { by }: Said<unknown>, base: string): string =>
  ({ default: base, file: reader.source.base, variable: reader.folder })[by];

const settle = <T>(reader: Reader, field: Field<T>, value: T, from: string): void => {
  // What the schemas of settings let through are JSON values.
  const shown = typeof value === 'string' ? withoutPassword(value) : (value as Json | undefined);
  reader.settings.push({ name: field.path.join('.'), value: shown, from });
};

const lookUp = <T>(reader: Reader, field: Field<T>): Said<T> => {
  const text = nonEmpty(reader.environment[field.variable]);
  const { name, parsed } = reader.source;
  const inFile = field.path.reduce<Json | undefined>(
    (value, part) => (isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    parsed.value,
  );
  const unset: Said<T> = { value: field.fallback, from: 'default', by: 'default' };
  if (text === undefined && inFile === undefined) return unset;
  const checked = field.schema.safeParse(text === undefined ? inFile : field.read(text));
  if (!checked.success) {
    reader.problems.push(`${field.variable}: ${checked.error.issues[0]?.message}`); // the file has been checked as a whole
    return unset;
  }
  if (text !== undefined) return { value: checked.data, from: field.variable, by: 'variable' };
  const line = parsed.lineOf(field.path);
  return { value: checked.data, from: line === undefined ? name : `${name}:${line}`, by: 'file' };
};

const fromOf = ({ settings }: Reader, name: string): string =>
  settings.find((setting) => setting.name === name)?.from ?? name;

/** An empty variable is one that was not set: files of variables often have them so. */
const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const mustExist: readonly string[] = [
  'skills',
  'tools',
  'pipelines',
  'agents',
  'scripts',
  'policies',
  'files_root',
];

/** A folder that somebody named is there, or its name is misspelt and nothing would be found in it. */
const missingFolders = async ({ settings }: Reader): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const { name, value, from } of settings) {
    if (from === 'default' || !mustExist.includes(name) || typeof value !== 'string') continue;
    if (!(await isFolder(value))) problems.push(`${from}: ${name}: there is no folder ${value}`);
  }
  return problems;
};

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
};
