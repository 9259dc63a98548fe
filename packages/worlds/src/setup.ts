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
  return 'problems' in models ? models : { config, settings, definitions, model: models.model };
};

/** Policies are refused by name wherever they are named. */
const foldersOf = (config: Config, loads: readonly DefinitionKind[]): DefinitionFolders => {
  const folders = { policies: config.policies };
  return loads.reduce<DefinitionFolders>(
    (all, kind) => Object.assign(all, { [kind]: config[kind] }),
    folders,
  );
};
