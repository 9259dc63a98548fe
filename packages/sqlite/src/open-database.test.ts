import { expect, it } from 'vitest';
import { openDatabase } from './open-database.ts';

// No test can cut the power, so the settings that promise what is kept then are looked at.
it.each([
  ['synchronous', 2],
  ['fullfsync', 1],
  ['foreign_keys', 1],
  ['locking_mode', 'exclusive'],
])('sets %s to %j', async (name, value) => {
  const opened = await openDatabase({ path: ':memory:' });
  if (!opened.ok) throw new Error(opened.fault.detail);
  using database = opened.value;
  expect(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})).toEqual([value]);
});
