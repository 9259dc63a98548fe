import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { isJsonObject, Name } from '@foldmesh/envelope';
import { yamlText } from '@foldmesh/system';
import { builtInTools } from '@foldmesh/tool-gateway';
import { builtInSkills } from '@foldmesh/worker';
import { printJson } from '../api/print.ts';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { skillTemplate, toolTemplate } from './code-templates.ts';
import { agentTemplate, jobTemplate, pipelineTemplate } from './data-templates.ts';
import { type FolderSetting, jobFileOf, type Named, named, type TemplateFile } from './template.ts';

const templates = {
  skill: skillTemplate,
  tool: toolTemplate,
  agent: agentTemplate,
  pipeline: pipelineTemplate,
  job: jobTemplate,
} satisfies Record<string, (name: Named) => readonly TemplateFile[]>;

const configName = 'foldmesh.yaml';

/** Writes a definition and a job that runs it, and names its folder in foldmesh.yaml. What is there already is left alone. */
export const newFiles = async (
  shell: Shell,
  kind: keyof typeof templates,
  name: string,
  json: boolean,
): Promise<ExitCode> => {
  const checked = Name.safeParse(name);
  if (!checked.success)
    throw new CommandError(`${JSON.stringify(name)} is no name: ${checked.error.issues[0]?.message}`);
  if (ownNames(kind).includes(name))
    throw new CommandError(`foldmesh itself defines the ${kind} ${name}: choose another name`);
  const files = templates[kind](named(name));
  const config = await readConfig(shell.cwd);
  const missing = [...new Set(files.flatMap(({ folder }) => folder ?? []))].filter(
    (folder) => config.folders[folder] === undefined,
  );
  const written = files.map(({ folder, name: file, text }) => ({
    path: folder === undefined ? file : normalize(join(config.folders[folder] ?? folder, file)),
    text,
  }));
  await refuseExisting(
    shell.cwd,
    written.map(({ path }) => path),
  );
  for (const { path, text } of written) {
    await mkdir(dirname(join(shell.cwd, path)), { recursive: true });
    await writeFile(join(shell.cwd, path), text, { flag: 'wx' });
  }
  if (missing.length > 0) {
    const lines = missing.map((folder) => `${folder}: ${folder}\n`).join('');
    await writeFile(join(shell.cwd, configName), config.text + lines);
  }
  const paths = [...written.map(({ path }) => path), ...(missing.length > 0 ? [configName] : [])];
  if (json) printJson(shell, { files: paths });
  else shell.out(`${paths.join('\n')}\n`);
  shell.err(`run it: foldmesh run ${jobFileOf(named(name))}\n`);
  return exitCodes.done;
};

/** What every mesh has already; files that define it again would keep it from starting. */
const ownNames = (kind: keyof typeof templates): readonly string[] => {
  if (kind === 'skill') return builtInSkills().map(({ name }) => name);
  if (kind !== 'tool') return [];
  const nowhere = { files_root: '.', output: '.', http: {} };
  return builtInTools(nowhere).map(({ definition }) => definition.name);
};

interface ConfigText {
  /** As it is, ready for a further line. */
  readonly text: string;
  readonly folders: Readonly<Partial<Record<FolderSetting, string>>>;
}

/** What the configuration of the current folder names; one that cannot take a further line is said so. */
const readConfig = async (cwd: string): Promise<ConfigText> => {
  const text = await readFile(join(cwd, configName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new CommandError(`${configName} cannot be read (${error.code})`);
  });
  if (text.trim() === '') return { text: '', folders: {} };
  const parsed = yamlText(text, configName);
  if ('problems' in parsed) throw new CommandError(parsed.problems.join('\n'));
  const fields = parsed.value ?? {};
  if (!isJsonObject(fields) || text.trimStart().startsWith('{'))
    throw new CommandError(`${configName}: write it as lines of name: value, so that a line can be added`);
  const folders = Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
  return { text: text.endsWith('\n') ? text : `${text}\n`, folders };
};

/** All or none: nothing is written where one of them is there. */
const refuseExisting = async (cwd: string, paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    const isThere = await stat(join(cwd, path)).then(
      () => true,
      () => false,
    );
    if (isThere) throw new CommandError(`${path} is there already; nothing was written`);
  }
};
