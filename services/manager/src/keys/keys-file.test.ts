import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keysFileAt, keysReader, readKeys } from './keys-file.ts';

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'keys.yaml');
};

const line = (id: string): string =>
  `- { id: ${id}, tenant: acme, role: read, hash: ${'a'.repeat(64)}, expires_at: 2, created_at: 1 }`;

it('takes apart only what says something new', async () => {
  const path = await scene();
  await writeFile(path, line('a'));
  const read = keysReader(keysFileAt(path));
  const first = await read();
  expect(first).toMatchObject({ ok: true, value: [{ id: 'a' }] });
  await writeFile(path, line('a'));
  expect(await read()).toBe(first);
  await writeFile(path, line('b'));
  expect(await read()).toMatchObject({ ok: true, value: [{ id: 'b' }] });
  await rm(path);
  expect(await read()).toMatchObject({ ok: false, fault: { detail: 'keys.yaml is not there' } });
  await writeFile(path, line('b'));
  expect(await read()).toMatchObject({ ok: true, value: [{ id: 'b' }] });
});

it('reads keys whatever editor they come from', async () => {
  const path = await scene();
  await writeFile(path, `\uFEFF# keys\r\n${line('a')}\r\n${line('b')}\r\n`);
  expect(await readKeys(keysFileAt(path))).toMatchObject({ ok: true, value: [{ id: 'a' }, { id: 'b' }] });
});

it.each([
  ['an id twice', `${line('a')}\n${line('a')}`, 'keys.yaml:2: 1.id: the id a is there already'],
  ['two hashes', line('a').replace('role', 'hash: b, role'), 'the name "hash" stands twice'],
  ['a role that is none', line('a').replace('read', 'root'), 'a role is one of read, submit, operate, admin'],
  ['an id that is a number', line('1'), 'keys.yaml:1: 0.id: '],
  ['a tenant with NUL', line('a').replace('acme', '"a\\0b"'), 'a tenant id must match'],
])('says of %s where it is', async (_, text, said) => {
  const path = await scene();
  await writeFile(path, text);
  expect(await readKeys(keysFileAt(path))).toMatchObject({
    ok: false,
    fault: { kind: 'refused', detail: expect.stringContaining(said) },
  });
});

it('never repeats a key that was written into it', async () => {
  const path = await scene();
  const secret = '1'.repeat(64);
  for (const text of [`- fm_a_${secret}: x`, `fm_a_${secret}: 1\nfm_a_${secret}: 2`, `- *fm_a_${secret}`]) {
    await writeFile(path, text);
    expect(await readKeys(keysFileAt(path))).toMatchObject({ ok: false });
    expect(JSON.stringify(await readKeys(keysFileAt(path)))).not.toContain(secret);
  }
});

it('is a file, and nothing else of that name', async () => {
  const path = await scene();
  await mkdir(path);
  expect(await readKeys(keysFileAt(path))).toMatchObject({ fault: { detail: 'keys.yaml is a directory' } });
});
