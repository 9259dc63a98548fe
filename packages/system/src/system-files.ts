import { opendir, realpath } from 'node:fs/promises';
import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { FileEntry, Files } from '@foldmesh/ports';
import { asResult, FileTrouble } from './file-faults.ts';
import { partsOf, shownPath } from './file-path.ts';
import {
  defaultWitness,
  fileFlags,
  folderFlags,
  type Held,
  holdInside,
  statusOf,
  type Witness,
} from './held-folder.ts';
import { replaceFile } from './replace-file.ts';

/** How many entries are asked for their length at once: the file system's threads are shared. */
const statWidth = 32;

/**
 * The files below `root`, which may itself be a link and is made by the first write. Links that stay inside are
 * followed, a package manager's folders are made of them; one that leads out is refused, also when it is put in the
 * place of something harmless in the middle of a call.
 */
export const systemFiles = (root: string, witness = defaultWitness): Files =>
  filesBelow(root, witness, forWhomItMayBe);

/** The same, but what is written nobody else on the machine may read. */
export const privateFiles = (root: string): Files => filesBelow(root, defaultWitness, forTheOwner);

/** Permissions of a new file, before the process's own mask takes from them. */
const forWhomItMayBe = 0o666;
const forTheOwner = 0o600;

const filesBelow = (root: string, witness: Witness, mode: number): Files => ({
  list: (path, entriesMax) =>
    within(path, async (parts) => {
      await using folder = await holdInside(await realpath(root), parts, folderFlags, witness);
      const names = await namesIn(folder, entriesMax);
      if (names === undefined)
        return fail(fault('overflow', `${shownPath(path)} has more than ${entriesMax} entries`));
      const entries = await entriesOf(folder, names);
      await folder.recheck();
      return ok(entries);
    }),
  read: (path, bytesMax) =>
    within(path, async (parts) => {
      await using file = await holdInside(await realpath(root), parts, fileFlags, witness);
      return ok(await startOf(file, bytesMax));
    }),
  write: (path, bytes) =>
    within(path, async (parts) => ok(await replaceFile({ root, parts, bytes, witness, mode }))),
});

const within = <T>(
  path: string,
  work: (parts: readonly string[]) => Promise<Result<T>>,
): Promise<Result<T>> =>
  asResult(path, async () => {
    const parts = partsOf(path);
    return parts.ok ? work(parts.value) : parts;
  });

type Named = Pick<FileEntry, 'name' | 'kind'>;

/** Sorted by code unit, which is the same on every machine; undefined when there are too many. */
const namesIn = async (folder: Held, entriesMax: number): Promise<readonly Named[] | undefined> => {
  const found: Named[] = [];
  for await (const entry of await opendir(folder.at(), { bufferSize: 256 })) {
    if (found.length >= entriesMax) return undefined;
    found.push({ name: entry.name, kind: kindOf(entry) });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
};

interface Kinded {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

const kindOf = (entry: Kinded): FileEntry['kind'] => {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
};

const entriesOf = async (folder: Held, names: readonly Named[]): Promise<readonly FileEntry[]> => {
  const entries: FileEntry[] = [];
  for (let from = 0; from < names.length; from += statWidth)
    entries.push(
      ...(await Promise.all(names.slice(from, from + statWidth).map((named) => entryOf(folder, named)))),
    );
  return entries;
};

/** One that is gone by now, or that is something else by now, has no length to tell. */
const entryOf = async (folder: Held, named: Named): Promise<FileEntry> => {
  const status = named.kind === 'file' ? await statusOf(folder.at(named.name)) : undefined;
  return status?.isFile() === true ? { ...named, bytes: status.size } : named;
};

const startOf = async (file: Held, bytesMax: number) => {
  const status = await file.handle.stat();
  if (status.isDirectory()) throw new FileTrouble('invalid', 'is a directory');
  if (!status.isFile()) throw new FileTrouble('invalid', 'is no regular file');
  const buffer = new Uint8Array(Math.min(status.size, Math.max(0, bytesMax)));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return { bytes: buffer.subarray(0, length), size: length }; // it has become shorter
    length += bytesRead;
  }
  return { bytes: buffer, size: status.size };
};
