import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariant, type Result, TenantId } from '@foldmesh/envelope';
import { systemClock, systemRandom } from '@foldmesh/system';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAccess } from './api-access.ts';
import { hashOf, keyText } from './api-key.ts';
import { keysFileAt } from './keys-file.ts';
import { createKey, revokeKey } from './manage-keys.ts';
import { type Keys, watchedKeys } from './watched-keys.ts';

const scene = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const need = <T>(result: Result<T>): T => {
  invariant(result.ok, result.ok ? '' : result.fault.detail);
  return result.value;
};

const said: string[] = [];
const around = { clock: systemClock, random: systemRandom, log: (level: string) => void said.push(level) };
const watch = async (path: string): Promise<Keys> => {
  const keys = need(await watchedKeys(keysFileAt(path), around));
  onTestFinished(() => keys[Symbol.asyncDispose]());
  return keys;
};
const wanted = { tenant: TenantId.parse('acme'), role: 'read', lifetimeMs: 60_000 } as const;
const soon = { timeout: 10_000, interval: 50 };

const oneKey = (id: string, secret: string): string =>
  `- { id: ${id}, tenant: acme, role: read, hash: ${hashOf(secret)}, expires_at: ${systemClock.now() + 60_000}, created_at: 1 }\n`;

describe('the keys of a watched file', () => {
  it('are in force soon after they are made, and no longer once they are revoked', async () => {
    const path = join(await scene(), 'keys.yaml');
    const file = keysFileAt(path);
    const first = need(await createKey(file, wanted, around));
    const keys = await watch(path);
    expect(keys.holder(first.text)).toEqual(first.key);
    const second = need(await createKey(file, wanted, around));
    await expect.poll(() => keys.holder(second.text), soon).toEqual(second.key);
    expect(keys.isInForce(first.key)).toBe(true);
    need(await revokeKey(file, first.key.id));
    await expect.poll(() => keys.holder(first.text), soon).toBeUndefined();
    expect([keys.isInForce(first.key), keys.isInForce(second.key)]).toEqual([false, true]);
  });

  it('change as a mounted secret does: by a link to another folder', async () => {
    const folder = await scene();
    const [old, young] = ['1'.repeat(64), '2'.repeat(64)];
    for (const [name, secret] of [
      ['..one', old],
      ['..two', young],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'keys.yaml'), oneKey('k', secret));
    }
    await symlink('..one', join(folder, '..data'));
    await symlink('..data/keys.yaml', join(folder, 'keys.yaml'));
    const keys = await watch(join(folder, 'keys.yaml'));
    expect(keys.holder(keyText('k', old))?.id).toBe('k');
    await symlink('..two', join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
    await expect.poll(() => keys.holder(keyText('k', young))?.id, soon).toBe('k');
    expect(keys.holder(keyText('k', old))).toBeUndefined();
  });

  it('stay in force while the file is broken or gone, which is said', async () => {
    const path = join(await scene(), 'keys.yaml');
    const secret = '3'.repeat(64);
    await writeFile(path, oneKey('k', secret));
    const keys = await watch(path);
    expect(keys.problems()).toEqual([]);
    said.length = 0;
    await writeFile(path, '- { id: k');
    await expect
      .poll(() => keys.problems(), soon)
      .toEqual([
        expect.stringMatching(/^api\.keys: keys\.yaml:1:\d+: .*; the keys read last stay in force$/),
      ]);
    expect(keys.holder(keyText('k', secret))?.id).toBe('k');
    await rm(path);
    await expect.poll(() => keys.problems(), soon).toEqual([expect.stringContaining('is not there')]);
    expect(keys.holder(keyText('k', secret))?.id).toBe('k');
    await writeFile(path, '[]');
    await expect.poll(() => keys.problems(), soon).toEqual([]);
    expect(keys.holder(keyText('k', secret))).toBeUndefined();
    expect(said).toEqual(['error', 'error', 'info']);
  });
});

describe('who may call', () => {
  it('is nobody before the file of keys can be read', async () => {
    const keys = join(await scene(), 'gone.yaml');
    expect(await openAccess({ api: { address: '0.0.0.0', port: 0, keys } }, around)).toMatchObject({
      fault: { kind: 'refused', detail: 'api.keys (FOLDMESH_API_KEYS): gone.yaml is not there' },
    });
  });

  it('is this machine, under its own names, where there are no keys', async () => {
    const opened = need(await openAccess({ api: { address: '127.0.0.2', port: 0 } }, around));
    await using _ = opened;
    expect(opened.access).toEqual({
      tenant: 'local',
      hosts: ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2'],
    });
    expect(opened.remarks()).toEqual([]);
  });
});
