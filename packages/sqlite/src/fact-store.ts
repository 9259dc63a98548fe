import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { factWords } from '@foldmesh/envelope';
import type { Fact, FactQuery } from '@foldmesh/ports';
import { transaction } from './transaction.ts';

/** Facts in tables. Each statement that reads or writes one names its tenant. Throws what SQLite throws. */
export interface FactStore {
  /** Whether it is new; one that is known stays as it was. */
  add(fact: Fact): boolean;
  best(query: FactQuery): readonly Fact[];
}

type Row = Record<string, SQLOutputValue>;

export const factStore = (database: DatabaseSync): FactStore => {
  const insertFact = database.prepare(
    `INSERT INTO fact (tenant, id, job, at, body) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (tenant, id) DO NOTHING RETURNING seq`,
  );
  const insertPosting = database.prepare('INSERT INTO posting (term, fact) VALUES (?, ?)');
  const readFact = database.prepare('SELECT id, job, at, body FROM fact WHERE tenant = ? AND seq = ?');
  const terms = termTable(database);
  const search = searches(database);
  return {
    add: (fact) => {
      const { tenant, id, job, at, text, tags } = fact;
      const body = JSON.stringify({ text, tags, data: fact.data } satisfies Body);
      const all = [...wordTerms(text), ...tagTerms(tags)];
      return transaction(database, 'IMMEDIATE', () => {
        const seq = insertFact.get(tenant, id, job, at, body)?.['seq'];
        if (seq === undefined) return false;
        for (const term of all) insertPosting.run(terms.numberFor(tenant, term), seq);
        return true;
      });
    },
    best: (query) => {
      const { tenant, job, limit } = query;
      const words = wordTerms(query.text ?? '');
      const tags = tagTerms(query.tags ?? []);
      const wordNumbers = terms.numbersOf(tenant, words);
      const tagNumbers = terms.numbersOf(tenant, tags);
      // Who names words wants one of them at least, and of the tags all: one that no fact of the tenant has ends it.
      if (words.length > 0 && wordNumbers.length === 0) return [];
      if (tagNumbers.length < tags.length) return [];
      return search({ tenant, job, wordNumbers, tagNumbers, limit })
        .map(({ seq }) => readFact.get(tenant, seq ?? null))
        .flatMap((row) => (row === undefined ? [] : [factIn(tenant, row)]));
    },
  };
};

/** A word, or a tag, that facts are found by. */
interface Term {
  readonly kind: 'word' | 'tag';
  readonly text: string;
}

const wordTerms = (text: string): readonly Term[] =>
  factWords(text).map((word) => ({ kind: 'word', text: word }));

/** As JSON: SQLite would make one of two lone surrogates, and some of its functions end a text at a NUL. */
const tagTerms = (tags: readonly string[]): readonly Term[] =>
  [...new Set(tags)].map((tag) => ({ kind: 'tag', text: JSON.stringify(tag) }));

const termTable = (database: DatabaseSync) => {
  const find = database.prepare('SELECT number FROM term WHERE tenant = ? AND kind = ? AND text = ?');
  const insert = database.prepare('INSERT INTO term (tenant, kind, text) VALUES (?, ?, ?) RETURNING number');
  return {
    /** The term's number, given now if it has none. */
    numberFor: (tenant: string, { kind, text }: Term): number => {
      const row = find.get(tenant, kind, text) ?? insert.get(tenant, kind, text);
      return Number(row?.['number']);
    },
    /** Those of the terms that the tenant has. */
    numbersOf: (tenant: string, all: readonly Term[]): readonly number[] =>
      all.flatMap(({ kind, text }) => {
        const row = find.get(tenant, kind, text);
        return row === undefined ? [] : [Number(row['number'])];
      }),
  };
};

interface Search {
  readonly tenant: string;
  readonly job: string | undefined;
  readonly wordNumbers: readonly number[];
  readonly tagNumbers: readonly number[];
  readonly limit: number;
}

/**
 * Finds numbers of facts, best first. One statement for each of the eight combinations of what is asked, so that each
 * has the index it needs; bodies are read for the few that are given, and not for all that are sorted.
 */
const searches = (database: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>();
  return ({ tenant, job, wordNumbers, tagNumbers, limit }: Search): readonly Row[] => {
    const [hasWords, hasTags] = [wordNumbers.length > 0, tagNumbers.length > 0];
    const sql = `SELECT fact.seq FROM ${hasWords ? wordHits : 'fact'} WHERE fact.tenant = :tenant
      ${job === undefined ? '' : 'AND fact.job = :job'} ${hasTags ? tagged : ''}
      ORDER BY ${hasWords ? 'hit.score DESC,' : ''} fact.at DESC, fact.seq DESC LIMIT :limit`;
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement.all({
      tenant,
      limit,
      ...(job !== undefined && { job }),
      ...(hasWords && { words: JSON.stringify(wordNumbers) }),
      ...(hasTags && { tags: JSON.stringify(tagNumbers), tag_count: tagNumbers.length }),
    });
  };
};

const wordHits = `(SELECT fact AS seq, count(*) AS score FROM posting
  WHERE term IN (SELECT value FROM json_each(:words)) GROUP BY fact) AS hit JOIN fact ON fact.seq = hit.seq`;

const tagged = `AND fact.seq IN (SELECT fact FROM posting
  WHERE term IN (SELECT value FROM json_each(:tags)) GROUP BY fact HAVING count(*) = :tag_count)`;

/** What of a fact only its reader needs. As JSON it comes back to the last character, lone surrogates and NUL as well. */
type Body = Pick<Fact, 'text' | 'tags'> & { readonly data: Fact['data'] | undefined };

const factIn = (tenant: Fact['tenant'], row: Row): Fact =>
  ({
    tenant,
    id: row['id'],
    job: row['job'],
    at: row['at'],
    ...JSON.parse(String(row['body'])),
  }) as Fact; // as `add` wrote it, and nobody else writes to the file
