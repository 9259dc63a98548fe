import { posix } from 'node:path';
import { decodeUtf8, Name } from '@foldmesh/envelope';
import { checkPipeline, type Pipeline, type Targets } from '@foldmesh/sdk';
import { type Defined, type DefinitionFile, filesOf } from './definition-folder.ts';
import { yamlText } from './yaml-text.ts';

/** The pipelines of a folder, each checked against what it may call, or all that is wrong with them. */
export const loadPipelines = async (
  folder: string | undefined,
  targets: Targets,
): Promise<{ readonly defined: readonly Defined<Pipeline>[]; readonly problems: readonly string[] }> => {
  const defined: Defined<Pipeline>[] = [];
  const { files, problems: unreadable } = await filesOf(folder, /\.(yaml|yml|json)$/);
  const problems = [...unreadable];
  for (const file of files) {
    const read = readPipeline(file, targets);
    if ('problems' in read) problems.push(...read.problems);
    else defined.push(read);
  }
  return { defined, problems };
};

const readPipeline = (
  file: DefinitionFile,
  targets: Targets,
): Defined<Pipeline> | { readonly problems: readonly string[] } => {
  const text = decodeUtf8(file.bytes);
  if (!text.ok) return { problems: [`${file.shown}: ${text.fault.detail}`] };
  const parsed = yamlText(text.value, file.shown);
  if ('problems' in parsed) return parsed;
  const checked = checkPipeline(parsed.value, targets);
  if ('problems' in checked)
    return { problems: checked.problems.map((problem) => `${file.shown}: ${problem}`) };
  const { pipeline } = checked;
  const name = Name.safeParse(pipeline.name ?? posix.parse(file.shown).name);
  if (name.success)
    return {
      name: name.data,
      definition: { ...pipeline, name: name.data },
      digest: file.digest,
      file: file.shown,
    };
  return { problems: [`${file.shown}: give it a name: ${name.error.issues[0]?.message}`] };
};
