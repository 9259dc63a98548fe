import { TenantId } from '@foldmesh/envelope';
import type { Clock, Random } from '@foldmesh/ports';
import { type ApiKey, hashOf, holderOf, keyText, type Role } from '../../keys/api-key.ts';
import type { Keys } from '../../keys/watched-keys.ts';

/** Keys that stand in no file. */
export interface FixedKeys extends Keys {
  /** Makes a key; gives what its holder sends. */
  give(tenant: string, role: Role, lifetimeMs?: number): string;
  revoke(text: string): void;
}

export const fixedKeys = (clock: Pick<Clock, 'now'>, random: Random): FixedKeys => {
  const keys = new Map<string, ApiKey>();
  const problems: string[] = [];
  return {
    give(tenant, role, lifetimeMs = 3_600_000) {
      const [id, secret, now] = [random.hex(6), random.hex(32), clock.now()];
      keys.set(id, {
        id,
        tenant: TenantId.parse(tenant),
        role,
        hash: hashOf(secret),
        expires_at: now + lifetimeMs,
        created_at: now,
      });
      return keyText(id, secret);
    },
    revoke(text) {
      keys.delete(text.split('_')[1] ?? '');
      problems.push('api.keys: keys.yaml is not there; the keys read last stay in force');
    },
    holder: (text) => holderOf(keys, text, clock.now()),
    isInForce: ({ id, expires_at }) => keys.has(id) && clock.now() < expires_at,
    problems: () => problems,
    [Symbol.asyncDispose]: async () => undefined,
  };
};
