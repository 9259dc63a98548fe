import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@foldmesh/envelope';
import { createKey, type KeysFile, keysFileAt, type Role } from '@foldmesh/manager';
import { systemClock, systemRandom } from '@foldmesh/system';

/** A file of keys in a folder of its own. Disposing removes it. */
export interface KeyRing extends AsyncDisposable {
  readonly path: string;
  readonly file: KeysFile;
  /** Makes a key; gives its id and what its holder sends. */
  make(tenant: string, role: Role): Promise<{ readonly id: string; readonly text: string }>;
}

const hourMs = 3_600_000;

export const keyRing = async (): Promise<KeyRing> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-keys-'));
  const path = join(folder, 'keys.yaml');
  const file = keysFileAt(path);
  return {
    path,
    file,
    make: async (tenant, role) => {
      const wanted = { tenant: TenantId.parse(tenant), role, lifetimeMs: hourMs };
      const made = await createKey(file, wanted, { clock: systemClock, random: systemRandom });
      if (!made.ok) throw new Error(made.fault.detail);
      return { id: made.value.key.id, text: made.value.text };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};
