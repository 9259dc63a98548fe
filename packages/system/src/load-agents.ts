import { problemsIn } from '@foldmesh/job';
import { type Agent, WrittenAgent } from '@foldmesh/run';
import type { Defined } from './definition-folder.ts';
import { loadDocuments } from './load-documents.ts';
import { loadModules } from './load-modules.ts';

/** The agents of a folder, from YAML and from TypeScript alike: what comes out is the same data. */
export const loadAgents = async (
  folder: string | undefined,
): Promise<{ readonly defined: readonly Defined<Agent>[]; readonly problems: readonly string[] }> => {
  const documents = await loadDocuments(folder, (value) => {
    const parsed = WrittenAgent.safeParse(value);
    if (parsed.success) return { definition: parsed.data, name: parsed.data.name };
    return { problems: problemsIn(WrittenAgent, parsed.error.issues) };
  });
  const modules = await loadModules(folder, 'agent');
  const written = modules.defined.map((one) => ({ ...one, definition: one.definition.agent }));
  return {
    defined: [...documents.defined, ...written],
    problems: [...documents.problems, ...modules.problems],
  };
};
