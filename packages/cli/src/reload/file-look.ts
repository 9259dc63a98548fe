import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What can change; of a folder the files directly in it. */
export interface Watched {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** What was loaded, and how it was then. */
export interface Seen {
  readonly watched: Watched;
  readonly look: string;
}

/** How all of it is now, in one text that differs when something was written, made, moved or taken away. */
export const fileLook = async ({ files, folders }: Watched): Promise<string> => {
  const inFolders = await Promise.all(folders.map(namesIn));
  const paths = [...new Set([...files, ...inFolders.flat()])].toSorted();
  return (await Promise.all(paths.map(lookAt))).join('\n');
};

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).map((name) => join(folder, name));
  } catch {
    return [folder]; // what is not there now may come, and then differs
  }
};

const lookAt = async (path: string): Promise<string> => {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${path} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return `${path} is not there`;
  }
};
