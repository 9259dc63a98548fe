import type { TenantId } from '@foldmesh/envelope';
import type { ApiAccess } from '../keys/api-access.ts';
import { mayDo, type Role } from '../keys/api-key.ts';
import type { Refusal } from './problem.ts';
import { roleNeeded } from './role-needed.ts';

/** Who asks, as far as the API knows. */
export interface Caller {
  readonly tenant: TenantId;
  /** Whether it may still be told more: a key can be revoked, or expire, while somebody listens. */
  readonly mayGoOn: () => boolean;
}

/** Who needs no key: whoever can reach the API where there are none. */
export const anybody = (tenant: TenantId): Caller => ({ tenant, mayGoOn: () => true });

/**
 * Who sent a request, or why it is not answered. A key that is missing, unknown, or expired gets one and the same answer.
 * `path` is that by which the request finds its route: read in another way, it could need less than what it leads to.
 */
export const callerOf = (
  { raw: request, path }: { readonly raw: Request; readonly path: string },
  { tenant, keys }: Pick<ApiAccess, 'tenant' | 'keys'>,
): Caller | { readonly refusal: Refusal } => {
  const needed = roleNeeded(request.method, path);
  if (keys === undefined || needed === 'nobody') return anybody(tenant);
  const key = keys.holder(bearerOf(request));
  if (key === undefined) return { refusal: unknown };
  if (!mayDo(key.role, needed)) return { refusal: tooSmall(needed, key.role) };
  return { tenant: key.tenant, mayGoOn: () => keys.isInForce(key) };
};

const bearerOf = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

const unknown: Refusal = {
  status: 401,
  code: 'unauthorized',
  title: 'A valid API key is needed',
  detail: 'send it as Authorization: Bearer fm_<id>_<secret>',
  headers: { 'www-authenticate': 'Bearer' },
};

const tooSmall = (needed: Role, held: Role): Refusal => ({
  status: 403,
  code: 'role_too_small',
  title: `This needs a key with the role ${needed}`,
  detail: `the role of this key is ${held}`,
});
