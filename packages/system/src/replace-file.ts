import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, FileTrouble } from './file-faults.ts';
import {
  folderFlags,
  type Held,
  hold,
  resolveInside,
  statusOf,
  unlessMissing,
  type Witness,
} from './held-folder.ts';

interface Replacement {
  readonly root: string;
  readonly parts: readonly string[];
  readonly bytes: Uint8Array;
  readonly witness: Witness;
  /** Permissions of the file. */
  readonly mode: number;
}

/** Where a replacement is at work. */
interface Site {
  readonly root: string;
  readonly witness: Witness;
  readonly mode: number;
}

/**
 * Puts a whole file in place, with the folders it needs, or changes nothing. Each folder is opened, checked, and held
 * while its entries are worked on, so that no link put in its place can lead a write out.
 */
export const replaceFile = async ({ root, parts, bytes, witness, mode }: Replacement): Promise<void> => {
  const name = parts.at(-1);
  if (name === undefined) throw new FileTrouble('invalid', 'is a directory');
  await mkdir(root, { recursive: true });
  const site: Site = { root: await realpath(root), witness, mode };
  await using held = new AsyncDisposableStack();
  await using made = new AsyncDisposableStack(); // undone first, while the folders above are still held
  let folder = held.use(await hold(site.root, site.root, folderFlags, witness));
  for (const part of parts.slice(0, -1)) folder = held.use(await enter(site, folder, part, made));
  await putInto(site, folder, name, bytes);
  made.move(); // all is well: the new folders stay
};

/** How often a folder is looked for again that others keep taking away. */
const entersMax = 3;

/** Holds a folder's child, made if it is not there yet. */
const enter = async (site: Site, folder: Held, name: string, made: AsyncDisposableStack): Promise<Held> => {
  for (let tries = 1; ; tries += 1) {
    const path = folder.at(name);
    try {
      const status = await statusOf(path);
      if (status === undefined) await makeFolder(folder, name, made);
      else if (status.isSymbolicLink()) return await enterLink(site, path);
      return await hold(site.root, path, folderFlags, site.witness);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || tries >= entersMax) throw error;
    }
  }
};

const makeFolder = async (folder: Held, name: string, made: AsyncDisposableStack): Promise<void> => {
  const path = folder.at(name);
  await folder.recheck();
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return; // somebody was quicker
    throw error;
  }
  made.defer(() => rmdir(path).catch(unlessFileSystem)); // not empty: others use it by now
  await syncFolder(folder.handle);
};

const enterLink = async (site: Site, path: string): Promise<Held> =>
  hold(site.root, await targetOf(site, path), folderFlags, site.witness);

/** Where a link leads, inside the root. One that leads nowhere cannot be shown to stay inside. */
const targetOf = async (site: Site, path: string): Promise<string> => {
  const target = await unlessMissing(resolveInside(site.root, path));
  if (target === undefined) throw new FileTrouble('refused', 'leads through a link to nothing');
  return target;
};

const putInto = async (site: Site, folder: Held, name: string, bytes: Uint8Array): Promise<void> => {
  const path = folder.at(name);
  const status = await statusOf(path);
  if (status?.isSymbolicLink() !== true) {
    if (status?.isDirectory() === true) throw new FileTrouble('invalid', 'is a directory');
    if (status?.isFile() === false) throw new FileTrouble('invalid', 'is no regular file');
    return putFile(folder, name, bytes, site.mode);
  }
  // The link stays, and what it leads to is replaced; a link put there meanwhile is itself replaced, and not followed.
  const target = await targetOf(site, path);
  await using behind = await hold(site.root, dirname(target), folderFlags, site.witness);
  const beyond = await statusOf(behind.at(basename(target)));
  if (beyond?.isDirectory() === true) throw new FileTrouble('invalid', 'is a directory');
  await putFile(behind, basename(target), bytes, site.mode);
};

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** The name changes its file only once the new one is whole and on the disk. */
const putFile = async (folder: Held, name: string, bytes: Uint8Array, mode: number): Promise<void> => {
  const temporary = folder.at(`.foldmesh-${randomBytes(8).toString('hex')}.tmp`);
  await folder.recheck();
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await writeAll(handle, bytes);
    await folder.recheck();
    await rename(temporary, folder.at(name));
  } catch (error) {
    await unlink(temporary).catch(unlessFileSystem); // the first error is the one that tells
    throw error;
  }
  await syncFolder(folder.handle);
};

const writeAll = async (handle: FileHandle, bytes: Uint8Array): Promise<void> => {
  await using file = handle;
  await file.writeFile(bytes);
  await file.sync();
};

/** Makes a new name outlive a power cut, on systems where a folder can be synced. */
const syncFolder = (handle: FileHandle): Promise<void> => handle.sync().catch(unlessFileSystem);

const unlessFileSystem = (error: unknown): void => {
  if (codeOf(error) === undefined) throw error;
};
