import type { DatabaseSync } from 'node:sqlite';
import { fail, ok, type Result } from '@foldmesh/envelope';
import type { Log, Memory } from '@foldmesh/ports';
import { factStore } from './fact-store.ts';
import { openDatabase } from './open-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

export interface SqliteSettings {
  /** The file; its folders are made. `:memory:` is gone when it is closed, which only a test wants. */
  readonly path: string;
  readonly log: Log;
  /** What the file may grow to, the log beside it (a few MB) not counted. Without it the volume is the bound. */
  readonly fileBytesMax?: number;
}

/** Closed, it lets go of the file, and answers every call that it is unavailable. */
export type SqliteMemory = Memory & AsyncDisposable;

/**
 * A memory that stays, for the one process that opens its file. A write that was answered is on the disk. Each call is
 * carried out at once and keeps the event loop for as long: some milliseconds, of which most are the disk's.
 */
export const sqliteMemory = async (settings: SqliteSettings): Promise<Result<SqliteMemory>> => {
  const opened = await openDatabase(settings);
  if (!opened.ok) return opened;
  try {
    const memory = memoryOn(opened.value, settings);
    settings.log('info', 'memory opened', { path: settings.path });
    return ok(memory);
  } catch (error) {
    opened.value.close();
    return fail(sqliteFault(settings.path, error));
  }
};

const memoryOn = (database: DatabaseSync, { path, log }: SqliteSettings): SqliteMemory => {
  const store = factStore(database);
  const call = async <T>(work: () => T): Promise<Result<T>> => {
    try {
      return ok(work());
    } catch (error) {
      const fault = sqliteFault(path, error);
      // Nobody who asks can mend it, so whoever reads the log should know.
      if (fault.retry_after_ms === undefined) log('error', 'memory failed', { path, detail: fault.detail });
      return fail(fault);
    }
  };
  return {
    write: (fact) => call(() => ({ duplicate: !store.add(fact) })),
    query: (query) => call(() => store.best(query)),
    [Symbol.asyncDispose]: async () => {
      if (database.isOpen) database.close();
    },
  };
};
