import type { Agent } from '@foldmesh/run';
import { outputKeysOf, type Pipeline, type Skill, type Target, type Targets, type Tool } from '@foldmesh/sdk';
import { clashesOf, type Defined, filesOf } from './definition-folder.ts';
import { loadAgents } from './load-agents.ts';
import { loadModules } from './load-modules.ts';
import { loadPipelines } from './load-pipelines.ts';

/** Absolute paths. A folder that is not there, or that nobody named, holds nothing. */
export interface DefinitionFolders {
  readonly skills?: string | undefined;
  readonly tools?: string | undefined;
  readonly pipelines?: string | undefined;
  readonly agents?: string | undefined;
  readonly policies?: string | undefined;
}

/** What the product brings along: files may call it, and may not define it again. */
export interface BuiltIn {
  readonly skills: readonly Pick<Skill, 'name' | 'output'>[];
  /** `elsewhere`: another process has the tools, and a pipeline may name any. */
  readonly tools: readonly Pick<Tool, 'name' | 'output'>[] | 'elsewhere';
}

export interface Definitions {
  readonly skills: readonly Defined<Skill>[];
  readonly tools: readonly Defined<Tool>[];
  readonly pipelines: readonly Defined<Pipeline>[];
  readonly agents: readonly Defined<Agent>[];
}

/** Everything that the files of the folders define, or everything that is wrong with them, one sentence each. */
export const loadDefinitions = async (
  folders: DefinitionFolders,
  builtIn: BuiltIn,
): Promise<Definitions | { readonly problems: readonly string[] }> => {
  const skills = await loadModules(folders.skills, 'skill');
  const tools = await loadModules(folders.tools, 'tool');
  const targets: Targets = {
    skill: finder([...builtIn.skills, ...skills.defined.map(({ definition }) => definition)]),
    tool:
      builtIn.tools === 'elsewhere'
        ? () => ({})
        : finder([...builtIn.tools, ...tools.defined.map(({ definition }) => definition)]),
  };
  const pipelines = await loadPipelines(folders.pipelines, targets);
  const agents = await loadAgents(folders.agents);
  const problems = [
    ...skills.problems,
    ...tools.problems,
    ...pipelines.problems,
    ...agents.problems,
    ...clashesOf('skill', skills.defined, builtIn.skills),
    ...clashesOf('tool', tools.defined, builtIn.tools === 'elsewhere' ? [] : builtIn.tools),
    ...clashesOf('pipeline', pipelines.defined, []),
    ...clashesOf('agent', agents.defined, []),
    ...(await unsupported(folders)),
  ];
  if (problems.length > 0) return { problems };
  return {
    skills: skills.defined,
    tools: tools.defined,
    pipelines: pipelines.defined,
    agents: agents.defined,
  };
};

const finder = (all: readonly Pick<Skill, 'name' | 'output'>[]): ((name: string) => Target | undefined) => {
  const byName = new Map(all.map(({ name, output }) => [name, { outputKeys: outputKeysOf(output) }]));
  return (name) => byName.get(name);
};

/** What the build does not do yet is said by name: a policy that is quietly not kept would be worse than none. */
const unsupported = async ({ policies }: DefinitionFolders): Promise<readonly string[]> => {
  const { files } = await filesOf(policies, /\.ya?ml$/);
  return files.map(({ shown }) => `${shown}: policies are not supported yet`);
};
