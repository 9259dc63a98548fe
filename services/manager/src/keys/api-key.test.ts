import { TenantId } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { type ApiKey, ApiKeys, hashOf, holderOf, keyText, mayDo, roles } from './api-key.ts';

const secret = '5'.repeat(64);
const key: ApiKey = {
  id: 'k1',
  tenant: TenantId.parse('acme'),
  role: 'submit',
  hash: hashOf(secret),
  expires_at: 2_000,
  created_at: 1_000,
};
const keys = new Map([[key.id, key]]);
const text = keyText('k1', secret);

describe('holderOf', () => {
  it('knows a key by its text until it expires', () => {
    expect(text).toBe(`fm_k1_${secret}`);
    expect(holderOf(keys, text, 1_999)).toBe(key);
    expect(holderOf(keys, text, 2_000)).toBeUndefined();
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['another secret', keyText('k1', '6'.repeat(64))],
    ['a secret that differs at its end', keyText('k1', `${'5'.repeat(63)}6`)],
    ['the secret under another id', keyText('k2', secret)],
    ['the stored hash in its place', keyText('k1', key.hash)],
    ['a secret that is too short', keyText('k1', secret.slice(1))],
    ['a secret that is too long', keyText('k1', `${secret}5`)],
    ['a name that every object has', keyText('constructor', secret)],
    ['no prefix', `k1_${secret}`],
    ['something after it', `${text}\n`],
  ])('knows no key by %s', (_, wrong) => {
    expect(holderOf(keys, wrong, 1_000)).toBeUndefined();
  });

  it('knows nobody by the hash that stands for nobody', () => {
    expect(holderOf(new Map(), keyText('k1', '0'.repeat(64)), 1_000)).toBeUndefined();
  });
});

it('each role may do what those before it may, and no more', () => {
  for (const [has, held] of roles.entries())
    for (const [wants, needed] of roles.entries()) expect(mayDo(held, needed)).toBe(has >= wants);
});

describe('the file of keys', () => {
  const problems = (value: unknown): readonly string[] =>
    ApiKeys.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

  it('is a list of keys, each id once', () => {
    expect(problems([key, { ...key, id: 'k2', note: 'for CI' }])).toEqual([]);
    expect(problems([key, key])).toEqual(['1.id: the id k1 is there already']);
    expect(problems({ keys: [] })).toEqual([
      ': keys are a list of { id, tenant, role, hash, expires_at, created_at }',
    ]);
  });

  it.each([
    [{ role: 'root' }, '0.role: a role is one of read, submit, operate, admin'],
    [{ tenant: 'a.b' }, '0.tenant: a tenant id must match [A-Za-z0-9][A-Za-z0-9_-]{0,63}'],
    [{ id: 'a_b' }, '0.id: the id of a key is 1 to 32 letters and digits'],
    [{ hash: secret.slice(1) }, '0.hash: '],
    [{ expires_at: '2027-01-01' }, '0.expires_at: '],
    [{ expires_at: undefined }, '0.expires_at: '],
    [{ secret }, '0: Unrecognized key: "secret"'],
  ])('is refused with %o', (change, problem) => {
    expect(problems([{ ...key, ...change }])).toEqual([expect.stringContaining(problem)]);
  });
});
