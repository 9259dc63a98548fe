import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Model } from '@foldmesh/ports';
import {
  type BuiltIn,
  type Config,
  type Definitions,
  loadConfig,
  loadDefinitions,
  type Setting,
  systemFiles,
  systemHttp,
} from '@foldmesh/system';
import { builtInSkills } from '@foldmesh/worker';
import { builtInTools } from './all.ts';
import type { Shell } from './command.ts';
import { loadModels } from './load-models.ts';

/** What is in force for one command, and what its folders define. */
export interface Setup {
  readonly config: Config;
  readonly settings: readonly Setting[];
  readonly definitions: Definitions;
  readonly model: Model;
}

/** The configuration beside a job file, where there is one, goes before that of the current folder. */
const configFileFor = (
  shell: Shell,
  jobPath: string | undefined,
  named: string | undefined,
): string | undefined => {
  if (named !== undefined || jobPath === undefined || shell.environment['FOLDMESH_CONFIG']) return named;
  const beside = join(dirname(jobPath), 'foldmesh.yaml');
  return existsSync(beside) ? relative(shell.cwd, beside) : undefined;
};

export const setUp = async (
  shell: Shell,
  jobPath: string | undefined,
  named: string | undefined,
): Promise<Setup | { readonly problems: readonly string[] }> => {
  const file = configFileFor(shell, jobPath, named);
  const loaded = await loadConfig({
    environment: shell.environment,
    folder: shell.cwd,
    ...(file !== undefined && { file }),
  });
  if ('problems' in loaded) return loaded;
  const { config, settings } = loaded;
  const definitions = await loadDefinitions(config, builtIn(config));
  if ('problems' in definitions) return definitions;
  const models = await loadModels(config.scripts);
  return 'problems' in models ? models : { config, settings, definitions, model: models.model };
};

/** Names that the files of a user may call, and may not define again. */
const builtIn = (config: Config): BuiltIn => {
  const files = systemFiles(config.files_root);
  return {
    skills: builtInSkills(),
    tools: builtInTools({ files, outputOf: () => files, http: systemHttp(), allow: undefined }).map(
      ({ definition }) => definition,
    ),
  };
};
