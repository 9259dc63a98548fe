import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Result } from '@foldmesh/envelope';
import { asResult, FileTrouble } from './file-faults.ts';
import { systemClock } from './system-clock.ts';

/** How long others may hold a lock, and how often it is looked whether they still do. Milliseconds. */
const waitMsMax = 10_000;
const lookMs = 20;

/**
 * Does some work while nobody else does any under the lock of this path, in this process or another; `unavailable` where
 * others never let go. The file stays, empty, for its owner only: one that was taken away would be two locks to two
 * processes.
 *
 * The lock itself is SQLite's, the one way from here to those of the operating system, which gives them back when a
 * process dies. A file that named its holder could be that of a process that is long gone, or of one in another container.
 */
export const fileLock = <T>(path: string, work: () => Promise<Result<T>>, waitMs = waitMsMax) =>
  asResult(basename(path), async (): Promise<Result<T>> => {
    const file = resolve(path);
    await mkdir(dirname(file), { recursive: true });
    // Said in the file system's words, which SQLite has not.
    await (await open(file, 'a', 0o600)).close();
    using _held = await lockOf(file, waitMs);
    return await work();
  });

const lockOf = async (file: string, waitMs: number): Promise<Disposable> => {
  const until = systemClock.monotonic() + waitMs;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== undefined) return lock;
    if (systemClock.monotonic() >= until) throw new FileTrouble('unavailable', 'is held by somebody else');
    await systemClock.sleep(lookMs);
  }
};

/** Never waits inside SQLite, where the whole process would, and with it a holder in this one. */
const tryLock = (file: string): Disposable | undefined => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (codeIn(error) === busy) return undefined;
    // biome-ignore lint/style/useErrorCause: it becomes a fault, which has words alone.
    throw new FileTrouble('invalid', `is no lock (${String(error)})`);
  }
};

/** SQLite's primary code for what others hold. */
const busy = 5;

const codeIn = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
