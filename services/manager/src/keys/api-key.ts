import { Digest, Instant, sha256Hex, TenantId } from '@foldmesh/envelope';
import { z } from 'zod';

/** What a caller may do, each role all that the ones before it may. */
export const roles = ['read', 'submit', 'operate', 'admin'] as const;
export const Role = z.enum(roles, { error: `a role is one of ${roles.join(', ')}` });
export type Role = z.infer<typeof Role>;

export const mayDo = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed);

const KeyId = z.string().regex(/^[A-Za-z0-9]{1,32}$/, 'the id of a key is 1 to 32 letters and digits');
const noteLengthMax = 200;

/** A key as it is stored: who has the file can call nobody with it. */
export const ApiKey = z.strictObject({
  id: KeyId,
  tenant: TenantId,
  role: Role,
  /** SHA-256 of the secret. A secret of 256 random bits cannot be guessed, so nothing slower is needed (ADR 24). */
  hash: Digest,
  expires_at: Instant,
  created_at: Instant,
  note: z.string().max(noteLengthMax).optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** How many keys one file may hold. */
const keysMax = 10_000;

/** The file of keys. */
export const ApiKeys = z
  .array(ApiKey, { error: 'keys are a list of { id, tenant, role, hash, expires_at, created_at }' })
  .max(keysMax)
  .superRefine((keys, check) => {
    const seen = new Set<string>();
    for (const [index, { id }] of keys.entries()) {
      if (seen.has(id))
        check.addIssue({ code: 'custom', path: [index, 'id'], message: `the id ${id} is there already` });
      seen.add(id);
    }
  });

/** Bytes of chance in a secret. */
export const secretBytes = 32;

/** A key as its holder sends it. */
export const keyText = (id: string, secret: string): string => `fm_${id}_${secret}`;

export const hashOf = (secret: string): Digest => Digest.parse(sha256Hex(secret));

/** Compared with where there is no key of that id, so that finding none takes as long as finding one. */
const nobody = '0'.repeat(64);

/**
 * The key that a text is, unless it is none, or it has expired. Each text costs one hash and one whole comparison: how
 * long it takes does not tell what was wrong with it.
 */
export const holderOf = (
  keys: ReadonlyMap<string, ApiKey>,
  text: string | undefined,
  now: Instant,
): ApiKey | undefined => {
  const [, id = '', secret = ''] = /^fm_([A-Za-z0-9]{1,32})_([0-9a-f]{64})$/.exec(text ?? '') ?? [];
  const key = keys.get(id);
  const isRight = areSame(sha256Hex(secret), key?.hash ?? nobody);
  return isRight && key !== undefined && now < key.expires_at ? key : undefined;
};

/** Looks at all of both, wherever they differ first. */
const areSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
};
