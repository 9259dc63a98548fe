import { posix } from 'node:path';
import { decodeUtf8, type Json, Name } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import { type Defined, type DefinitionFile, filesOf } from './definition-folder.ts';
import { problemText, yamlText } from './yaml-text.ts';

/** What a document means, by its own name where it has one, or what is wrong with it. */
export type Checked<T> =
  | { readonly definition: T; readonly name: string | undefined }
  | { readonly problems: readonly (string | Problem)[] };

/** The documents of a folder in YAML or JSON, each checked, or all that is wrong with them. A name is by default the file's. */
export const loadDocuments = async <T>(
  folder: string | undefined,
  check: (value: Json) => Checked<T>,
): Promise<{ readonly defined: readonly Defined<T>[]; readonly problems: readonly string[] }> => {
  const defined: Defined<T>[] = [];
  const { files, problems: unreadable } = await filesOf(folder, /\.(yaml|yml|json)$/);
  const problems = [...unreadable];
  for (const file of files) {
    const read = readDocument(file, check);
    if ('problems' in read) problems.push(...read.problems);
    else defined.push(read);
  }
  return { defined, problems };
};

const readDocument = <T>(
  file: DefinitionFile,
  check: (value: Json) => Checked<T>,
): Defined<T> | { readonly problems: readonly string[] } => {
  const { shown, digest } = file;
  const text = decodeUtf8(file.bytes);
  if (!text.ok) return { problems: [`${shown}: ${text.fault.detail}`] };
  const parsed = yamlText(text.value, shown);
  if ('problems' in parsed) return parsed;
  const checked = check(parsed.value);
  if ('problems' in checked) {
    const said = checked.problems.map((problem) =>
      typeof problem === 'string' ? `${shown}: ${problem}` : problemText(shown, parsed, problem),
    );
    return { problems: said };
  }
  const name = Name.safeParse(checked.name ?? posix.parse(shown).name);
  if (name.success) return { name: name.data, definition: checked.definition, digest, file: shown };
  return { problems: [`${shown}: give it a name: ${name.error.issues[0]?.message}`] };
};
