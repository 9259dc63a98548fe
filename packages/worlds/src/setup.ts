import type { Model } from '@foldmesh/ports';
import {
  type BuiltIn,
  type Config,
  type DefinitionFolders,
  type Definitions,
  loadConfig,
  loadDefinitions,
  type Setting,
} from '@foldmesh/system';
import { loadModels } from './load-models.ts';

/** What is in force for one process, and what its folders define. */
export interface Setup {
  readonly config: Config;
  readonly settings: readonly Setting[];
  readonly definitions: Definitions;
  readonly model: Model;
}

export type DefinitionKind = keyof Definitions;

export interface SetupSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly folder: string;
  /** A configuration file that must be there. */
  readonly file?: string | undefined;
  /** The folders to read; what a process does not carry out it need not know. */
  readonly loads: readonly DefinitionKind[];
  /** Names that the files of a user may call, and may not define again. */
  readonly builtIn: (config: Config) => BuiltIn;
}

/** Reads configuration and definitions, or says everything that is wrong with them. */
export const loadSetup = async ({
  builtIn,
  loads,
  ...sources
}: SetupSources): Promise<Setup | { readonly problems: readonly string[] }> => {
  const loaded = await loadConfig(sources);
  if ('problems' in loaded) return loaded;
  const { config, settings } = loaded;
  const definitions = await loadDefinitions(foldersOf(config, loads), builtIn(config));
  if ('problems' in definitions) return definitions;
  const models = await loadModels(config.scripts);
  if ('problems' in models) return models;
  const problems = unknownModels(definitions, models.names);
  return problems.length > 0 ? { problems } : { config, settings, definitions, model: models.model };
};

/** An agent whose model nobody can ask would fail each time that it runs. */
const unknownModels = ({ agents }: Definitions, names: readonly string[]): readonly string[] =>
  agents
    .filter(({ definition: { model } }) => !names.includes(model))
    .map(
      ({ file, definition: { model } }) =>
        `${file}: model: there is no ${model}; there ${names.length === 0 ? 'is none: scripts names no folder of scripts' : `are ${names.join(', ')}`}`,
    );

/** Policies are refused by name wherever they are named. */
const foldersOf = (config: Config, loads: readonly DefinitionKind[]): DefinitionFolders => {
  const folders = { policies: config.policies };
  return loads.reduce<DefinitionFolders>(
    (all, kind) => Object.assign(all, { [kind]: config[kind] }),
    folders,
  );
};
