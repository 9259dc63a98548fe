import { describe, expect, it } from 'vitest';
import { sqliteFault } from './sqlite-fault.ts';

const sqliteError = (errcode: number): Error => Object.assign(new Error('said SQLite'), { errcode });
const fileError = (code: string): Error => Object.assign(new Error('said the system'), { code });

describe('what the world did', () => {
  it.each([
    [5, 'unavailable', 1_000],
    [5 | (2 << 8), 'unavailable', 1_000],
    [10 | (4 << 8), 'unavailable', 5_000],
    [13, 'unavailable', 5_000],
    [11, 'unavailable', undefined],
    [18, 'overflow', undefined],
    [26, 'invalid', undefined],
  ])('of code %i is %s, and again after %s', (code, kind, retry_after_ms) => {
    const fault = sqliteFault('/facts.db', sqliteError(code));
    expect(fault).toEqual({
      kind,
      detail: expect.stringMatching(/^\/facts\.db .* \(said SQLite\)$/),
      source: 'sqlite-memory',
      ...(retry_after_ms !== undefined && { retry_after_ms }),
    });
  });

  it.each([
    ['EROFS', 'refused'],
    ['ENOTDIR', 'invalid'],
    ['ENOSPC', 'unavailable'],
  ])('with %s is %s', (code, kind) => {
    expect(sqliteFault('/facts.db', fileError(code))).toMatchObject({ kind });
  });
});

it.each([sqliteError(1), sqliteError(19), fileError('ERR_INVALID_ARG_TYPE'), new TypeError('no'), 'text'])(
  'throws a defect on: %s',
  (defect) => {
    expect(() => sqliteFault('/facts.db', defect)).toThrow(defect as Error);
  },
);
