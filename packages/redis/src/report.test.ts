import { expect, it } from 'vitest';
import { problemsOf, reportOf } from './report.ts';

const info = (more: Readonly<Record<string, string>> = {}): string =>
  Object.entries({
    redis_version: '7.0.15',
    redis_mode: 'standalone',
    role: 'master',
    maxmemory_policy: 'noeviction',
    aof_enabled: '0',
    evicted_keys: '0',
    ...more,
  })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');

const wrongOf = (more: Readonly<Record<string, string>>): readonly string[] =>
  problemsOf(info(more), reportOf(info(more), undefined)).map(({ text }) => text);

it('nothing is wrong with a primary of 7.0 or later that evicts nothing', () => {
  for (const version of ['7.0.0', '7.4.1', '8.0.2', '10.1.0'])
    expect(wrongOf({ redis_version: version })).toEqual([]);
});

it.each([
  [{ redis_version: '6.2.14' }, 'its version is 6.2.14'],
  [{ redis_version: '' }, 'its version is unknown'],
  [{ redis_mode: 'cluster' }, 'it is a node of a cluster'],
  [{ maxmemory_policy: 'allkeys-random' }, 'maxmemory-policy is allkeys-random'],
  [{ maxmemory_policy: '' }, 'maxmemory-policy is unknown'],
  [{ role: 'slave' }, 'its role is slave'],
])('%o is named', (more, text) => {
  const wrong = wrongOf(more);
  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain(text);
});

it('all that is wrong is named at once; only a role may change by itself', () => {
  const all = { redis_version: '6.0.0', role: 'slave', maxmemory_policy: 'allkeys-lru' };
  const problems = problemsOf(info(all), reportOf(info(all), undefined));
  expect(problems.map(({ lasting }) => lasting)).toEqual([true, true, false]);
});

it('only who may evict would take the end of what has begun, and nothing else', () => {
  const all = {
    redis_version: '6.0.0',
    redis_mode: 'cluster',
    role: 'slave',
    maxmemory_policy: 'allkeys-lru',
  };
  const problems = problemsOf(info(all), reportOf(info(all), undefined));
  expect(problems.filter(({ forgets }) => forgets).map(({ text }) => text)).toEqual([
    expect.stringContaining('maxmemory-policy'),
  ]);
});

it('every Valkey will do, and is called by its own version', () => {
  const valkey = { server_name: 'valkey', redis_version: '7.2.4', valkey_version: '9.1.2' };
  expect(wrongOf(valkey)).toEqual([]);
  expect(reportOf(info(valkey), undefined)).toMatchObject({ server: 'valkey', version: '9.1.2' });
});

it.each([
  ['yes', 'always', '', 'always'],
  ['yes', 'everysec', '3600 1', 'every-second'],
  ['yes', 'no', '', 'snapshot'],
  ['no', 'always', '3600 1', 'snapshot'],
  ['no', 'always', '', 'none'],
])('appendonly %s, appendfsync %s, save "%s" is %s', (appendonly, appendfsync, save, durability) => {
  const config = new Map(Object.entries({ appendonly, appendfsync, save, 'maxmemory-policy': 'noeviction' }));
  expect(reportOf(info(), config).durability).toBe(durability);
});

it('where the configuration cannot be read, the weaker promise counts', () => {
  expect(reportOf(info({ aof_enabled: '1' }), undefined)).toMatchObject({
    durability: 'every-second',
    appendfsync: undefined,
  });
  expect(reportOf(info(), undefined).durability).toBe('none');
});

it('what was evicted is counted', () => {
  expect(reportOf(info({ evicted_keys: '12' }), undefined).evictedKeys).toBe(12);
});
