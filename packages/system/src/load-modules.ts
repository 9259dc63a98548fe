import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Name } from '@foldmesh/envelope';
import { problemsIn, sayProblem } from '@foldmesh/job';
import { WrittenAgent } from '@foldmesh/run';
import type { DefinedAgent, Skill, Tool } from '@foldmesh/sdk';
import { type Defined, type DefinitionFile, filesOf } from './definition-folder.ts';

/** What a module can define; the discriminant says which. */
type Definition = Skill | Tool | DefinedAgent;

interface Loaded<T> {
  readonly defined: readonly Defined<T>[];
  readonly problems: readonly string[];
}

const modules = /^(?!.*(\.test|\.d)\.ts$).+\.(ts|js|mjs)$/;

/** The skills, tools or agents that the modules of a folder export by name. A module without any is a helper of the others. */
export const loadModules = async <K extends Definition['kind']>(
  folder: string | undefined,
  kind: K,
): Promise<Loaded<Extract<Definition, { kind: K }>>> => {
  const defined: Defined<Extract<Definition, { kind: K }>>[] = [];
  const { files, problems: unreadable } = await filesOf(folder, modules);
  const problems = [...unreadable];
  for (const file of files) {
    const loaded = await exportsOf(file);
    if (typeof loaded === 'string') problems.push(loaded);
    else for (const [name, value] of loaded) collect(file, name, value);
  }
  return { defined, problems };

  function collect(file: DefinitionFile, exported: string, value: unknown): void {
    if (!isKind(value, kind)) return;
    const wrong = exported === 'default' ? 'a default export; export it by name' : faultOf(value);
    if (wrong !== undefined) problems.push(`${file.shown}: the ${kind} ${String(value['name'])}: ${wrong}`);
    // `faultOf` has looked at all that the type says and that can be looked at.
    else defined.push(definedBy(file, value as unknown as Extract<Definition, { kind: K }>));
  }
};

const definedBy = <T extends Definition>(file: DefinitionFile, definition: T): Defined<T> => ({
  name: definition.name,
  definition,
  digest: file.digest,
  file: file.shown,
});

/** What a user's file may import wherever it lies: their own copy where there is one, else ours. */
const ours = ['@foldmesh/sdk', 'zod'];

/** Lets what a file of definitions imports be found from here, for as long as the files are loaded. */
const withOurPackages = async <T>(load: () => Promise<T>): Promise<T> => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!ours.includes(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
};

const exportsOf = async (file: DefinitionFile): Promise<readonly (readonly [string, unknown])[] | string> => {
  try {
    return Object.entries(
      await withOurPackages(() => import(/* @vite-ignore */ pathToFileURL(file.path).href)),
    );
  } catch (error) {
    return `${file.shown} does not load: ${causeOf(error)}`;
  }
};

/** The first line of what was thrown, and the place that Node puts above the stack where it knows one. */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const [cause = ''] = error.message.split('\n');
  const place = /^\S*?([^/\\\s]+:\d+)\n/.exec(error.stack ?? '')?.[1];
  return `${error.name}: ${cause}${place === undefined ? '' : ` (${place})`}`;
};

type Fields = Readonly<Record<string, unknown>>;

const isKind = (value: unknown, kind: string): value is Fields =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;

const effects = ['read', 'idempotent', 'keyed', 'unsafe'];

/** What is wrong with a definition, whose file may have been written in JavaScript and without our `define`. */
const faultOf = (value: Fields): string | undefined => {
  const name = Name.safeParse(value['name']);
  if (!name.success) return name.error.issues[0]?.message;
  if (value['kind'] === 'agent') return agentFault(value['agent']);
  if (typeof value['run'] !== 'function') return 'run is no function';
  if (!isSchema(value['input'])) return 'input is no zod schema';
  if (value['output'] !== undefined && !isSchema(value['output'])) return 'output is no zod schema';
  if (!Number.isFinite(value['timeoutMs']))
    return 'timeoutMs is no number; make it with defineSkill or defineTool';
  if (value['kind'] === 'tool')
    return effects.includes(String(value['effect']))
      ? undefined
      : `effect must be one of ${effects.join(', ')}`;
  return undefined;
};

const agentFault = (agent: unknown): string | undefined => {
  const parsed = WrittenAgent.safeParse(agent);
  return parsed.success
    ? undefined
    : problemsIn(WrittenAgent, parsed.error.issues).map(sayProblem).join('; ');
};

const isSchema = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'safeParse' in value &&
  typeof value.safeParse === 'function';
