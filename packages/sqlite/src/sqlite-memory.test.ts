import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Fault, JobId, Key, type Result, TenantId } from '@foldmesh/envelope';
import type { Fact } from '@foldmesh/ports';
import { afterAll, describe, expect, it } from 'vitest';
import { type SqliteMemory, type SqliteSettings, sqliteMemory } from './sqlite-memory.ts';

const tenant = TenantId.parse('acme');
/** What a test may take that starts processes, on a machine that has other work as well. */
const processMs = 30_000;
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-memory-'));
  folders.push(folder);
  return folder;
};

const fact = (step: number, text = `fact ${step}`): Fact => ({
  id: Key.parse(`acme/day/task/1/${step}/0`),
  tenant,
  job: JobId.parse('day'),
  text,
  tags: [],
  at: step,
});

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.detail);
  return result.value;
};
const faultOf = async (result: Result<SqliteMemory>): Promise<Fault | undefined> => {
  if (!result.ok) return result.fault;
  await result.value[Symbol.asyncDispose]();
  return undefined;
};
const opening = (path: string, more: Partial<SqliteSettings> = {}) =>
  sqliteMemory({ path, log: () => {}, ...more });
const opened = async (path: string, more: Partial<SqliteSettings> = {}) => got(await opening(path, more));
const texts = async (memory: SqliteMemory, text?: string) =>
  got(await memory.query({ tenant, limit: 100, ...(text !== undefined && { text }) })).map((one) => one.text);

/** What a process of its own says of `path`, when it has opened it as nobody in particular. */
const saidByChild = (path: string, as = ''): unknown => {
  const child = `
    import { sqliteMemory } from ${JSON.stringify(new URL('./sqlite-memory.ts', import.meta.url).href)};
    ${as}
    console.log(JSON.stringify(await sqliteMemory({ path: process.argv[1], log: () => {} })));`;
  const arguments_ = ['-C', '@foldmesh/source', '--input-type=module', '-e', child, path];
  return JSON.parse(execFileSync(process.execPath, arguments_, { encoding: 'utf8' }));
};

describe('a memory that is opened again', () => {
  it('has what was written, in a folder that was made for it', async () => {
    const path = join(await scene(), 'a/b/facts.db');
    for (let step = 1; step <= 3; step++) {
      await using memory = await opened(path);
      expect(got(await memory.write(fact(step)))).toEqual({ duplicate: false });
      expect(got(await memory.write(fact(1)))).toEqual({ duplicate: true });
      expect(await texts(memory, 'fact')).toHaveLength(step);
    }
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  it('is a file alone, whose log was folded into it', async () => {
    const path = join(await scene(), 'facts.db');
    {
      await using memory = await opened(path);
      got(await memory.write(fact(1)));
      expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0);
    }
    await expect(stat(`${path}-wal`)).rejects.toThrow('ENOENT');
  });

  it('may be closed twice, and says so when it is asked after that', async () => {
    const memory = await opened(':memory:');
    got(await memory.write(fact(1)));
    await memory[Symbol.asyncDispose]();
    await memory[Symbol.asyncDispose]();
    const closed = { ok: false, fault: { kind: 'unavailable', retry_after_ms: expect.any(Number) } };
    expect(await memory.write(fact(2))).toMatchObject(closed);
    expect(await memory.query({ tenant, limit: 1 })).toMatchObject(closed);
  });
});

describe('what cannot be a memory is one fault that names the path', () => {
  const refusals: [string, (folder: string) => Promise<string>, Partial<Fault>][] = [
    [
      'a folder',
      async (folder) => folder,
      { kind: 'invalid', detail: expect.stringContaining('not a file') },
    ],
    [
      'a path below a file',
      async (folder) => {
        await writeFile(join(folder, 'file'), '');
        return join(folder, 'file/facts.db');
      },
      { kind: 'invalid' },
    ],
    [
      'a text',
      async (folder) => {
        await writeFile(join(folder, 'text'), 'words\n'.repeat(1_000));
        return join(folder, 'text');
      },
      { kind: 'invalid', detail: expect.stringContaining('is not a database of SQLite') },
    ],
    [
      'a database of something else',
      async (folder) => {
        using theirs = new DatabaseSync(join(folder, 'theirs'));
        theirs.exec('CREATE TABLE theirs (a)');
        return join(folder, 'theirs');
      },
      { kind: 'invalid', detail: expect.stringContaining('something else') },
    ],
    [
      'a memory of a newer release',
      async (folder) => {
        const path = join(folder, 'newer');
        await (await opened(path))[Symbol.asyncDispose]();
        using newer = new DatabaseSync(path);
        newer.exec('PRAGMA user_version = 99');
        return path;
      },
      { kind: 'refused', detail: expect.stringContaining('version 99') },
    ],
  ];
  it.each(refusals)('%s', async (_, prepare, expected) => {
    const path = await prepare(await scene());
    const fault = await faultOf(await opening(path));
    expect(fault).toMatchObject({ ...expected, source: 'sqlite-memory' });
    expect(fault?.detail).toContain(path);
    expect(fault).not.toHaveProperty('retry_after_ms');
  });

  it.each(['', 'a\u0000b'])('%j', async (path) => {
    expect(await faultOf(await opening(path))).toMatchObject({
      kind: 'invalid',
      detail: expect.stringContaining(JSON.stringify(path)),
    });
  });

  it('what this process may not write', { timeout: processMs }, async () => {
    const folder = await scene();
    const path = join(folder, 'facts.db');
    await (await opened(path))[Symbol.asyncDispose]();
    await mkdir(join(folder, 'closed'));
    await chmod(join(folder, 'closed'), 0o555);
    await chmod(path, 0o444);
    await chmod(folder, 0o777);
    // Root may write anywhere: a child gives that up first.
    const nobody = 'if (process.getuid() === 0) process.setuid(65534);';
    for (const one of [path, join(folder, 'closed/facts.db'), join(folder, 'closed/deeper/facts.db')]) {
      const detail = expect.stringContaining(`${one} may not be written`);
      expect(saidByChild(one, nobody)).toMatchObject({ ok: false, fault: { kind: 'refused', detail } });
    }
  });
});

describe('a file has one writer', () => {
  it('in this process and in all others, until it is closed', { timeout: processMs }, async () => {
    const path = join(await scene(), 'facts.db');
    const refused = {
      kind: 'unavailable',
      detail: expect.stringMatching(new RegExp(`^${path} is open already, .* one process`)),
      retry_after_ms: 1_000,
    };
    const first = await opened(path);
    got(await first.write(fact(1)));
    expect(await faultOf(await opening(path))).toMatchObject(refused);
    expect(saidByChild(path)).toMatchObject({ ok: false, fault: refused });
    expect(got(await first.write(fact(2)))).toEqual({ duplicate: false });
    await first[Symbol.asyncDispose]();
    expect(saidByChild(path)).toMatchObject({ ok: true });
    await using again = await opened(path);
    expect(await texts(again)).toEqual(['fact 2', 'fact 1']);
  });
});

describe('a memory that fails', () => {
  it('says that it has no room, keeps what it has, and takes more when there is room', async () => {
    const path = join(await scene(), 'facts.db');
    const kept: string[] = [];
    {
      await using memory = await opened(path, { fileBytesMax: 200_000 });
      for (let step = 0; ; step++) {
        const text = `fact ${step} ${Array.from({ length: 200 }, (_, word) => `w${step}x${word}`).join(' ')}`;
        const written = await memory.write(fact(step, text));
        if (!written.ok) {
          expect(written.fault).toMatchObject({ kind: 'unavailable', retry_after_ms: 5_000 });
          expect(written.fault.detail).toContain(`${path} has no room left`);
          break;
        }
        kept.unshift(text);
      }
      expect(kept.length).toBeGreaterThan(2);
      expect(await texts(memory)).toEqual(kept);
      expect(await texts(memory, `w${kept.length}x0`)).toEqual([]);
      expect(got(await memory.write(fact(0, 'again')))).toEqual({ duplicate: true });
    }
    await using memory = await opened(path);
    expect(got(await memory.write(fact(kept.length, 'the one that found no room')))).toEqual({
      duplicate: false,
    });
    expect(await texts(memory)).toHaveLength(kept.length + 1);
  });

  it('says that it is damaged, never again, and tells the log', async () => {
    const path = join(await scene(), 'facts.db');
    {
      await using memory = await opened(path);
      for (let step = 0; step < 200; step++)
        got(await memory.write(fact(step, `${step} ${'x'.repeat(500)}`)));
    }
    const file = await open(path, 'r+');
    // All but the page that says which tables there are.
    await file.write(new Uint8Array((await file.stat()).size - 4_096).fill(0x5a), { position: 4_096 });
    await file.close();
    const logged: unknown[] = [];
    await using memory = await opened(path, { log: (level, message) => logged.push([level, message]) });
    for (const failed of [await memory.write(fact(900)), await memory.query({ tenant, limit: 10 })]) {
      expect(failed).toMatchObject({
        ok: false,
        fault: { kind: 'unavailable', detail: expect.stringContaining(`${path} is damaged`) },
      });
      expect(failed).not.toHaveProperty('fault.retry_after_ms');
    }
    expect(logged).toContainEqual(['error', 'memory failed']);
  });

  it('does not pass on a fact that is no longer one', async () => {
    const path = join(await scene(), 'facts.db');
    {
      await using memory = await opened(path);
      got(await memory.write(fact(1)));
    }
    {
      using database = new DatabaseSync(path);
      database.exec(`UPDATE fact SET body = '{"text'`);
    }
    await using memory = await opened(path);
    expect(await memory.query({ tenant, limit: 10 })).toMatchObject({
      ok: false,
      fault: { kind: 'unavailable', detail: expect.stringContaining('is damaged') },
    });
  });
});

it('C099: gives no fact of another tenant, even when its terms are led astray', async () => {
  const path = join(await scene(), 'facts.db');
  const stranger = TenantId.parse('umbrella');
  {
    await using memory = await opened(path);
    got(await memory.write(fact(1, 'canary')));
    got(await memory.write({ ...fact(2, 'theirs'), tenant: stranger }));
  }
  {
    using database = new DatabaseSync(path);
    const astray = `INSERT INTO posting SELECT number, seq FROM term, fact WHERE text = 'theirs' AND id LIKE '%/1/1/0'`;
    expect(database.prepare(astray).run()).toMatchObject({ changes: 1 });
  }
  await using memory = await opened(path);
  const found = got(await memory.query({ tenant: stranger, text: 'theirs', limit: 10 }));
  expect(found.map(({ text }) => text)).toEqual(['theirs']);
});
