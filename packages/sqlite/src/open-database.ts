import { constants } from 'node:fs';
import { access, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Fault, fail, fault, ok, type Result } from '@foldmesh/envelope';
import { migrate } from './schema.ts';
import { source, sqliteFault } from './sqlite-fault.ts';
import { transaction } from './transaction.ts';

/** How long opening waits for another process to let go; the event loop stands still meanwhile. */
const busyMs = 1_000;
const cacheKib = 64 * 1024;

export interface Place {
  readonly path: string;
  readonly fileBytesMax?: number;
}

/** Opens the file for this process alone, at the newest version; makes it, and its folders, when there is none. */
export const openDatabase = async ({ path, fileBytesMax }: Place): Promise<Result<DatabaseSync>> => {
  if (path === '' || path.includes('\0'))
    return fail(fault('invalid', `${JSON.stringify(path)} is no path of a memory`, { source }));
  try {
    // Resolved, a path that begins with `file:` is a path, and no address with settings of its own.
    const file = path === inMemory ? path : resolve(path);
    const wrong = file === inMemory ? undefined : await preparePlace(file);
    if (wrong !== undefined) return fail(wrong);
    return opened(
      new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true }),
      path,
      fileBytesMax,
    );
  } catch (error) {
    return fail(sqliteFault(path, error));
  }
};

const inMemory = ':memory:';

const opened = (database: DatabaseSync, path: string, bytesMax: number | undefined): Result<DatabaseSync> => {
  try {
    // Set before the file is first read, it keeps the lock until we close or die, and needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
    const wrong = transaction(database, 'EXCLUSIVE', () => migrate(database, path));
    if (wrong !== undefined) {
      database.close();
      return fail({ ...wrong, source });
    }
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA cache_size = -${cacheKib}`);
    if (bytesMax !== undefined) database.exec(`PRAGMA max_page_count = ${pagesIn(database, bytesMax)}`);
    return ok(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

const pagesIn = (database: DatabaseSync, bytes: number): number => {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  return Math.max(1, Math.floor(bytes / pageBytes));
};

/** SQLite would say "unable to open", or "disk I/O error", to most of what can be wrong here. */
const preparePlace = async (file: string): Promise<Fault | undefined> => {
  await makeFolder(dirname(file));
  // The log beside the file is made anew at each start.
  await access(dirname(file), constants.W_OK);
  const status = await stat(file).catch(unlessMissing);
  if (status === undefined) return undefined;
  if (!status.isFile()) return fault('invalid', `${file} is not a file: name one in a folder`, { source });
  await access(file, constants.R_OK | constants.W_OK);
  return undefined;
};

const unlessMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** Facts are private, so a folder made for them is. SQLite syncs the folder of its file; those above are told here. */
const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined || process.platform === 'win32') return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await using above = await open(dirname(made), constants.O_RDONLY);
    await above.sync();
  }
};
