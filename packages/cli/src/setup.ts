import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { builtInTools } from '@foldmesh/tool-gateway';
import { builtInSkills } from '@foldmesh/worker';
import { loadSetup, type Setup } from '@foldmesh/worlds';
import type { Shell } from './command.ts';

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

/** What is in force for a command; `more` are variables that its options stand for. */
export const setUp = (
  shell: Shell,
  jobPath: string | undefined,
  named: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Setup | { readonly problems: readonly string[] }> =>
  loadSetup({
    environment: { ...shell.environment, ...more },
    folder: shell.cwd,
    file: configFileFor(shell, jobPath, named),
    loads: ['skills', 'tools', 'pipelines', 'agents'],
    builtIn: (config) => ({
      skills: builtInSkills(),
      tools: builtInTools(config).map(({ definition }) => definition),
    }),
  });
