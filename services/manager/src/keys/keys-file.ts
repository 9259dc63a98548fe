import { basename, dirname, join } from 'node:path';
import { decodeUtf8, fail, fault, limits, ok, type Result } from '@foldmesh/envelope';
import { problemsIn } from '@foldmesh/job';
import type { Files } from '@foldmesh/ports';
import { fileLock, privateFiles, problemText, yamlText } from '@foldmesh/system';
import { type ApiKey, ApiKeys } from './api-key.ts';

/** Where keys are stored. */
export interface KeysFile {
  readonly files: Files;
  /** Below `files`. */
  readonly name: string;
  /** Does some work while nobody else changes the file. */
  readonly alone: <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>;
}

/** The file at this path. Links are followed as long as they stay in its folder, which is how secrets are mounted. */
export const keysFileAt = (path: string): KeysFile => ({
  files: privateFiles(dirname(path)),
  name: basename(path),
  alone: (work) => fileLock(join(dirname(path), `.${basename(path)}.lock`), work),
});

type Read = Result<readonly ApiKey[]>;

/** The keys of a file, or everything that is wrong with it, with lines. A file that is not there is `invalid`. */
export const readKeys = (file: KeysFile): Promise<Read> => keysReader(file)();

/**
 * Reads the same file as often as it is asked. What says what it said before is not taken apart anew, and gives the very
 * same list: to read ten thousand keys takes a second, in which nobody is answered.
 */
export const keysReader = (file: KeysFile): (() => Promise<Read>) => {
  let before: { readonly text: string; readonly read: Read } | undefined;
  return async () => {
    const text = await textOf(file);
    if (!text.ok) return text;
    if (before?.text !== text.value) before = { text: text.value, read: keysIn(text.value, file.name) };
    return before.read;
  };
};

const textOf = async ({ files, name }: KeysFile): Promise<Result<string>> => {
  const read = await files.read(name, limits.bodyBytesMax);
  if (!read.ok) return read;
  const { bytes, size } = read.value;
  if (size > bytes.length)
    return fail(fault('overflow', `${name} has ${size} bytes, the limit is ${limits.bodyBytesMax}`));
  const text = decodeUtf8(bytes);
  return text.ok ? text : fail(fault('refused', `${name}: ${text.fault.detail}`));
};

const keysIn = (text: string, name: string): Read => {
  const parsed = parseKeys(text, name);
  if ('keys' in parsed) return ok(parsed.keys);
  return fail(fault('refused', parsed.problems.join('; ').replaceAll(keysInText, 'fm_…')));
};

/** A key that somebody wrote into the file itself must not be told to everybody who asks how the process is. */
const keysInText = /fm_[A-Za-z0-9]+_[0-9a-f]+/g;

const parseKeys = (
  text: string,
  name: string,
): { readonly keys: readonly ApiKey[] } | { readonly problems: readonly string[] } => {
  // Half a write may look like this; that there are no keys is said in words.
  if (text.trim() === '') return { problems: [`${name} is empty; a list without keys is written as []`] };
  const parsed = yamlText(text, name);
  if ('problems' in parsed) return parsed;
  const checked = ApiKeys.safeParse(parsed.value);
  if (checked.success) return { keys: checked.data };
  return {
    problems: problemsIn(ApiKeys, checked.error.issues).map((problem) => problemText(name, parsed, problem)),
  };
};

/** Puts these keys in the place of all that were there: as a whole or not at all. */
export const writeKeys = ({ files, name }: KeysFile, keys: readonly ApiKey[]): Promise<Result<void>> => {
  const lines = keys.map((key) => `- ${JSON.stringify(key)}\n`);
  return files.write(name, new TextEncoder().encode(lines.length > 0 ? lines.join('') : '[]\n'));
};
