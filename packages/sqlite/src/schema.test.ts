import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { migrate, steps } from './schema.ts';
import { transaction } from './transaction.ts';

const versionOf = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.['user_version'];
const next = 'ALTER TABLE fact ADD COLUMN source TEXT';
const migrated = (database: DatabaseSync, known?: readonly string[]) =>
  transaction(database, 'EXCLUSIVE', () => migrate(database, 'facts.db', known));

describe('migrate', () => {
  it('makes a new database, and does nothing to one that is up to date', () => {
    using database = new DatabaseSync(':memory:');
    for (let times = 0; times < 2; times++) expect(migrated(database)).toBeUndefined();
    expect(versionOf(database)).toBe(steps.length);
  });

  it('takes an older one forward and keeps what is in it', () => {
    using database = new DatabaseSync(':memory:');
    migrated(database);
    database.exec(`INSERT INTO fact (tenant, id, job, at, body) VALUES ('acme', 'i', 'j', 1, '{}')`);
    expect(migrated(database, [...steps, next])).toBeUndefined();
    expect(versionOf(database)).toBe(steps.length + 1);
    expect(database.prepare('SELECT id, source FROM fact').all()).toEqual([{ id: 'i', source: null }]);
  });

  it('refuses a newer one, and says what to do', () => {
    using database = new DatabaseSync(':memory:');
    migrated(database, [...steps, next]);
    expect(migrated(database)).toMatchObject({
      kind: 'refused',
      detail: `facts.db has version ${steps.length + 1} and this release knows ${steps.length}: start a newer release`,
    });
    expect(versionOf(database)).toBe(steps.length + 1);
  });

  it('touches no database of something else', () => {
    using database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE theirs (a)');
    expect(migrated(database)).toMatchObject({ kind: 'invalid' });
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'theirs' }]);
  });

  it('leaves the version before when a step fails', () => {
    using database = new DatabaseSync(':memory:');
    migrated(database);
    expect(() => migrated(database, [...steps, next, 'no statement'])).toThrow();
    expect(versionOf(database)).toBe(steps.length);
    expect(migrated(database, [...steps, next])).toBeUndefined();
  });
});
