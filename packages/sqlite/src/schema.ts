import type { DatabaseSync } from 'node:sqlite';
import { type Fault, fault } from '@foldmesh/envelope';

/**
 * A version is what its step makes of the one before. Steps are added and never changed: files of each version are out
 * there. A posting says that a fact has a term, which is a word or a tag of one tenant; `seq` is the order of writing.
 */
export const steps: readonly string[] = [
  `CREATE TABLE fact (
    seq INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    job TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (tenant, id)
  ) STRICT;
  CREATE INDEX fact_at ON fact (tenant, at);
  CREATE INDEX fact_job_at ON fact (tenant, job, at);
  CREATE TABLE term (
    number INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('word', 'tag')),
    text TEXT NOT NULL,
    UNIQUE (tenant, kind, text)
  ) STRICT;
  CREATE TABLE posting (
    term INTEGER NOT NULL REFERENCES term (number),
    fact INTEGER NOT NULL REFERENCES fact (seq),
    PRIMARY KEY (term, fact)
  ) STRICT, WITHOUT ROWID;`,
];

/** "FMEM": what tells our files from all other databases. */
const applicationId = 0x464d454d;

/** Brings the database to the newest version, inside the caller's transaction; a fault has changed nothing. */
export const migrate = (
  database: DatabaseSync,
  path: string,
  known: readonly string[] = steps,
): Fault | undefined => {
  const application = numberOf(database, 'PRAGMA application_id');
  const version = numberOf(database, 'PRAGMA user_version');
  const isNew = application === 0 && numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isNew && application !== applicationId)
    return fault('invalid', `${path} is a database of something else, not a memory`);
  if (version > known.length) {
    const detail = `${path} has version ${version} and this release knows ${known.length}: start a newer release`;
    return fault('refused', detail);
  }
  if (version === known.length) return undefined;
  for (const step of known.slice(version)) database.exec(step);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${known.length}`);
  return undefined;
};

const numberOf = (database: DatabaseSync, question: string): number =>
  Number(Object.values(database.prepare(question).get() ?? {})[0]);
