import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { seededRandom, virtualClock } from '@foldmesh/embedded';
import { invariant, type Result, TenantId } from '@foldmesh/envelope';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holderOf } from './api-key.ts';
import { type KeysFile, keysFileAt, readKeys } from './keys-file.ts';
import { createKey, firstKey, lifetimeMs, revokeKey } from './manage-keys.ts';

const scene = async (text?: string): Promise<{ readonly path: string; readonly file: KeysFile }> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'keys.yaml');
  if (text !== undefined) await writeFile(path, text);
  return { path, file: keysFileAt(path) };
};

const around = () => ({ clock: virtualClock(), random: seededRandom('keys') });
const wanted = { tenant: TenantId.parse('acme'), role: 'submit', lifetimeMs: 1_000 } as const;

const need = <T>(result: Result<T>): T => {
  invariant(result.ok, result.ok ? '' : result.fault.detail);
  return result.value;
};

describe('the keys of a file', () => {
  it('are made, listed and revoked, and the file is for its owner only', async () => {
    const { path, file } = await scene();
    const { clock, random } = around();
    const one = need(await createKey(file, wanted, { clock, random }));
    const two = need(
      await createKey(file, { ...wanted, role: 'admin', note: 'a "note": #1' }, { clock, random }),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const listed = need(await readKeys(file));
    expect(listed).toEqual([one.key, two.key]);
    expect(one.key).toMatchObject({ tenant: 'acme', role: 'submit', expires_at: one.key.created_at + 1_000 });
    const keys = new Map(listed.map((key) => [key.id, key]));
    for (const made of [one, two]) expect(holderOf(keys, made.text, clock.now())).toEqual(made.key);
    expect(need(await revokeKey(file, one.key.id))).toEqual(one.key);
    expect(need(await readKeys(file))).toEqual([two.key]);
    expect(need(await revokeKey(file, two.key.id))).toEqual(two.key);
    expect(need(await readKeys(file))).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('[]\n');
  });

  it('are stored without what would let somebody in', async () => {
    const { path, file } = await scene();
    const { text } = need(await createKey(file, wanted, around()));
    const secret = text.split('_')[2] ?? '';
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await readFile(path, 'utf8')).not.toContain(secret);
  });

  it('stay as they are when there is nothing to revoke, or the file cannot be read', async () => {
    const none = await scene('[]\n');
    expect(await revokeKey(none.file, 'k1')).toMatchObject({
      fault: { kind: 'invalid', detail: 'there is no key k1 in keys.yaml' },
    });
    const broken = await scene('- id: k1\n  tenant: acme\n');
    const refused = await createKey(broken.file, wanted, around());
    expect(refused).toMatchObject({ fault: { detail: expect.stringMatching(/^keys\.yaml:1: 0\.role: /) } });
    expect(await readFile(broken.path, 'utf8')).toBe('- id: k1\n  tenant: acme\n');
  });

  it('are none in a file that is empty, which may be half a write', async () => {
    const { file } = await scene('\n');
    expect(await readKeys(file)).toMatchObject({
      fault: { kind: 'refused', detail: 'keys.yaml is empty; a list without keys is written as []' },
    });
  });
});

/** What another process does to the file, with the code of this one. */
const elsewhere = async (path: string, call: string): Promise<void> => {
  const script = `
    import { createKey, keysFileAt, revokeKey } from '@foldmesh/manager';
    import { systemClock as clock, systemRandom as random } from '@foldmesh/system';
    const wanted = { tenant: 'acme', role: 'submit', lifetimeMs: 60_000 };
    const file = keysFileAt(process.argv[1]);
    const done = await ${call};
    if (!done.ok) throw new Error(done.fault.detail);`;
  const flags = ['-C', '@foldmesh/source', '--input-type=module', '--eval', script, path];
  const child = spawn(process.execPath, flags, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
};

describe('of several commands at the same moment', () => {
  it('each stands', async () => {
    const { file } = await scene();
    const { random, clock } = around();
    const old = await Promise.all([1, 2, 3, 4].map(() => createKey(file, wanted, { random, clock })));
    const revoked = old.map((made) => need(made).key.id);
    const [, ...made] = await Promise.all([
      Promise.all(revoked.map((id) => revokeKey(file, id))),
      ...[1, 2, 3, 4].map(() => createKey(file, wanted, { random, clock })),
    ]);
    expect(
      need(await readKeys(file))
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(made.map((one) => need(one).key.id).toSorted());
  });

  it('each stands, of several processes too', async () => {
    const { path, file } = await scene();
    const lost = need(await createKey(file, wanted, around())).key.id;
    await Promise.all([
      ...[1, 2, 3].map(() => elsewhere(path, 'createKey(file, wanted, { clock, random })')),
      elsewhere(path, `revokeKey(file, '${lost}')`),
    ]);
    const left = need(await readKeys(file)).map(({ id }) => id);
    expect(left).toHaveLength(3);
    expect(left).not.toContain(lost);
  }, 30_000);

  it('one makes the first key', async () => {
    const { file } = await scene();
    const { random, clock } = around();
    const made = await Promise.all([1, 2, 3].map(() => firstKey(file, wanted.tenant, { random, clock })));
    expect(made.map(need).filter((one) => one !== undefined)).toHaveLength(1);
    expect(need(await readKeys(file))).toHaveLength(1);
  });
});

it('nothing is made beside a file that has keys, or where there is none to revoke one from', async () => {
  const { path, file } = await scene('[]\n');
  expect(need(await firstKey(file, wanted.tenant, around()))).toBeUndefined();
  expect(await revokeKey(file, 'k1')).toMatchObject({ ok: false });
  expect(await readdir(dirname(path))).toEqual(['keys.yaml']);
  const nowhere = keysFileAt(join(dirname(path), 'no', 'keys.yaml'));
  expect(await revokeKey(nowhere, 'k1')).toMatchObject({ ok: false });
  expect(await readdir(dirname(path))).toEqual(['keys.yaml']);
});

it('the first key is made where there is no file, and only there', async () => {
  const { file } = await scene();
  const first = need(await firstKey(file, wanted.tenant, around()));
  expect(first?.key).toMatchObject({ tenant: 'acme', role: 'admin' });
  expect(need(await firstKey(file, wanted.tenant, around()))).toBeUndefined();
  expect(need(await readKeys(file))).toEqual([first?.key]);
  const none = await scene('[]');
  expect(need(await firstKey(none.file, wanted.tenant, around()))).toBeUndefined();
});

it.each([
  ['90d', 90 * 24 * 3_600_000],
  ['12h', 12 * 3_600_000],
  ['30m', 30 * 60_000],
  ['0d', undefined],
  ['90', undefined],
  ['1.5d', undefined],
  ['-1d', undefined],
  ['999999d', undefined],
])('a lifetime of %s is %s ms', (text, ms) => {
  expect(lifetimeMs(text)).toBe(ms);
});
