import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Digest, digestOf } from '@foldmesh/envelope';
import { codeOf } from './file-faults.ts';

/** A file that defines something; `shown` is its folder's and its own name, as messages have it. */
export interface DefinitionFile {
  readonly path: string;
  readonly shown: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of its text: what it imports is not in it. */
  readonly digest: Digest;
}

export interface FolderFiles {
  readonly files: readonly DefinitionFile[];
  /** One sentence for each that cannot be read. */
  readonly problems: readonly string[];
}

/** The files of a folder whose names match, by name; none where there is no such folder. */
export const filesOf = async (folder: string | undefined, names: RegExp): Promise<FolderFiles> => {
  const files: DefinitionFile[] = [];
  const problems: string[] = [];
  if (folder === undefined) return { files, problems };
  for (const name of (await namesIn(folder)).filter((entry) => names.test(entry)).sort()) {
    const path = join(folder, name);
    const shown = `${basename(folder)}/${name}`;
    const read = await unlessError(readFile(path));
    if (typeof read === 'string') problems.push(`${shown} cannot be read (${read})`);
    else files.push({ path, shown, bytes: read, digest: digestOf(read) });
  }
  return { files, problems };
};

const namesIn = async (folder: string): Promise<readonly string[]> => {
  const read = await unlessError(readdir(folder, { withFileTypes: true }));
  // What cannot be read is named when one of its files is missed; a folder inside is not ours to look into.
  return typeof read === 'string' ? [] : read.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
};

/** What was read, or the file system's code for why not. */
const unlessError = async <T extends object>(read: Promise<T>): Promise<T | string> => {
  try {
    return await read;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return code;
  }
};

/** Something defined, by name, and where. */
export interface Defined<T> {
  readonly name: string;
  readonly definition: T;
  readonly digest: Digest;
  /** As messages name it: `skills/audit.ts`. */
  readonly file: string;
}

/** One sentence for each name that two files, or a file and the product itself, define. */
export const clashesOf = (
  kind: string,
  defined: readonly Defined<unknown>[],
  builtIn: readonly { readonly name: string }[],
): readonly string[] => {
  const first = new Map(builtIn.map(({ name }) => [name, 'foldmesh itself']));
  const problems: string[] = [];
  for (const { name, file } of defined) {
    const other = first.get(name);
    if (other === undefined) first.set(name, file);
    else problems.push(`${file}: the ${kind} ${name} is also defined by ${other}`);
  }
  return problems;
};
