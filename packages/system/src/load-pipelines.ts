import { checkPipeline, type Pipeline, type Targets } from '@foldmesh/sdk';
import type { Defined } from './definition-folder.ts';
import { loadDocuments } from './load-documents.ts';

/** The pipelines of a folder, each checked against what it may call, or all that is wrong with them. */
export const loadPipelines = async (
  folder: string | undefined,
  targets: Targets,
): Promise<{ readonly defined: readonly Defined<Pipeline>[]; readonly problems: readonly string[] }> => {
  const { defined, problems } = await loadDocuments(folder, (value) => {
    const checked = checkPipeline(value, targets);
    return 'problems' in checked ? checked : { definition: checked.pipeline, name: checked.pipeline.name };
  });
  return {
    defined: defined.map((one) => ({ ...one, definition: { ...one.definition, name: one.name } })),
    problems,
  };
};
