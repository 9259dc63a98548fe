import type { DatabaseSync } from 'node:sqlite';

/** All that `work` does, or none of it. It runs to its end without an await, so that nothing gets in between. */
export const transaction = <T>(database: DatabaseSync, lock: 'IMMEDIATE' | 'EXCLUSIVE', work: () => T): T => {
  database.exec(`BEGIN ${lock}`);
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    // A full disk has undone it already, and then there is none to roll back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};
