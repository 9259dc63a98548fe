import { PoolName, sha256Hex } from '@foldmesh/envelope';
import { silentMs } from '@foldmesh/runtime';
import { expect, it } from 'vitest';
import { poolsIn } from './pools.ts';

const now = 1_000_000;
const pool = PoolName.parse('default');
const offer = (name: string) => ({ kind: 'skill', name, digest: sha256Hex(name) });
const said = (names: readonly string[], at?: number, more: object = {}) => ({
  service: 'worker',
  pool,
  slots: 4,
  offers: names.map(offer),
  ...(at !== undefined && { at }),
  ...more,
});
const poolOf = (...values: Parameters<typeof poolsIn>[0]) =>
  poolsIn(values, now)({ service: 'worker', pool });

it('is alive for as long as one of its processes was heard lately', () => {
  expect(poolOf(said(['a'], now - silentMs + 1))).toMatchObject({ isAlive: true });
  expect(poolOf(said(['a'], now - silentMs))).toMatchObject({ isAlive: false, heardAt: now - silentMs });
});

it('has what those have that are there, and once nobody is what the last one had', () => {
  const gone = said(['old'], now - 60_000);
  expect([...poolOf(gone, said(['new'], now)).names]).toEqual(['skill:new']);
  expect([...poolOf(gone, said(['older'], now - 90_000)).names]).toEqual(['skill:old']);
});

it('knows which names only some of its processes have', () => {
  const mixed = poolOf(said(['a', 'b'], now), said(['a'], now), said(['c'], now - 60_000));
  const needed = ['skill:a', 'skill:b', 'skill:c'];
  expect(mixed.lackedBySome(needed)).toEqual(['skill:b']);
  expect(poolOf(said(['a', 'b'], now)).lackedBySome(needed)).toEqual([]);
});

it('was never heard of where nobody has said anything, or anything that can be read', () => {
  expect(poolOf('nonsense', said([], now, { pool: 'another' }))).toMatchObject({
    isAlive: false,
    heardAt: undefined,
    slots: 0,
  });
});

it('reads the first version of everything where it does not say, and no type that it does not name', () => {
  expect(poolOf(said([], now)).reads('task.assign')).toBe(1);
  const newer = poolOf(said([], now, { reads: { 'task.assign': 3 } }), said([], now));
  expect([newer.reads('task.assign'), newer.reads('tool.call')]).toEqual([3, 1]);
  expect(poolOf(said([], now, { reads: {} })).reads('tool.call')).toBe(0);
});
