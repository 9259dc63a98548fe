import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf, FileTrouble } from './file-faults.ts';
import { isWithin } from './file-path.ts';

/** How this system tells where an open file lies. */
export interface Witness {
  /** Entries of an open folder can be named through its descriptor, whatever its path leads to by now. */
  readonly isBound: boolean;
  /** Where a file lies that has been opened as `believed`, without links; undefined when that is another file by now. */
  whereIs(handle: FileHandle, believed: string): Promise<string | undefined>;
}

/** Something opened inside a root: it stays what was checked, whatever happens to its name meanwhile. */
export interface Held extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where it lies, without links. */
  readonly path: string;
  /** Of a folder: the path of one of its entries, through the descriptor where the system has a way to say that. */
  at(name?: string): string;
  /** Throws when it cannot be shown to lie where it was opened; does nothing where `at` cannot be led astray. */
  recheck(): Promise<void>;
}

// Windows has none of these; 0 asks for nothing, so that there the witness alone sees a link swapped in.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
export const folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
/** Without O_NONBLOCK the opening of a pipe would wait for somebody to write. */
export const fileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** The link to an open file: what Linux has instead of paths relative to a descriptor. */
const descriptor = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`;

/** Linux says where an open file lies now. */
const byDescriptor: Witness = { isBound: true, whereIs: (handle) => readlink(descriptor(handle)) };

/**
 * Elsewhere the name is resolved again and must still lead to the very file that is open. Who swaps a folder twice
 * between those two steps could deceive it; without paths relative to a descriptor there is no better way.
 */
export const byIdentity: Witness = {
  isBound: false,
  whereIs: async (handle, believed) => {
    const [opened, again] = await Promise.all([handle.stat({ bigint: true }), realpath(believed)]);
    const named = await lstat(again, { bigint: true });
    return opened.dev === named.dev && opened.ino === named.ino ? again : undefined;
  },
};

export const defaultWitness: Witness =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? byDescriptor : byIdentity;

/**
 * Opens `path` and then looks at what has been opened: a check before it could be true of another file. `root` has no
 * links in it, nor has the last part of `path`, or nothing is opened.
 */
export const hold = async (root: string, path: string, flags: number, witness: Witness): Promise<Held> => {
  const handle = await open(path, flags);
  try {
    return heldOf(root, handle, await whereInside(root, handle, path, witness), witness);
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const heldOf = (root: string, handle: FileHandle, path: string, witness: Witness): Held => {
  const base = witness.isBound ? descriptor(handle) : path;
  return {
    handle,
    path,
    at: (name) => (name === undefined ? base : `${base}${base.endsWith(sep) ? '' : sep}${name}`),
    recheck: async () => {
      if (!witness.isBound) await whereInside(root, handle, path, witness);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
};

const whereInside = async (
  root: string,
  handle: FileHandle,
  believed: string,
  witness: Witness,
): Promise<string> => {
  const where = await witness.whereIs(handle, believed);
  if (where === undefined) throw new FileTrouble('unavailable', 'was replaced while it was being opened');
  if (!isWithin(root, where)) throw leading();
  return where;
};

/** Follows the links in a path below `root`, if they stay inside; throws like the file system where nothing is there. */
export const resolveInside = async (root: string, path: string): Promise<string> => {
  const real = await realpath(path);
  if (!isWithin(root, real)) throw leading();
  return real;
};

/** How often something is opened again that somebody else keeps replacing. */
const opensMax = 5;

/** Opens what `parts` lead to below `root`. */
export const holdInside = async (
  root: string,
  parts: readonly string[],
  flags: number,
  witness: Witness,
): Promise<Held> => {
  for (let opens = 1; ; opens += 1) {
    try {
      return await hold(root, await resolveInside(root, join(root, ...parts)), flags, witness);
    } catch (error) {
      const isMoved = error instanceof FileTrouble && error.kind === 'unavailable';
      if (!isMoved || opens >= opensMax) throw error;
    }
  }
};

const leading = (): FileTrouble => new FileTrouble('refused', 'leads out of the root through a link');

/** The status of an entry, links not followed; undefined when there is none. */
export const statusOf = (path: string) => unlessMissing(lstat(path));

/** What was found, or undefined where nothing is. */
export const unlessMissing = async <T>(finding: Promise<T>): Promise<T | undefined> => {
  try {
    return await finding;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};
