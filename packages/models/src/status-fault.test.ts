import { expect, test } from 'vitest';
import { statusFault } from './status-fault.ts';

const kindsOf = (statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, statusFault('lab/one', status).kind]));

test('C068: what would be the same again never says later, and each status has its class', () => {
  const kinds = {
    400: 'invalid',
    401: 'refused',
    403: 'refused',
    404: 'invalid',
    413: 'overflow',
    422: 'invalid',
  };
  expect(kindsOf([400, 401, 403, 404, 413, 422])).toEqual(kinds);
  for (const status of [400, 401, 402, 403, 404, 413, 418, 422, 451])
    expect(statusFault('lab/one', status, { retry_after_ms: 100 })).not.toHaveProperty('retry_after_ms');
});

test('C068: what may pass says later, when it is told to or at once', () => {
  const kinds = {
    408: 'unavailable',
    409: 'unavailable',
    429: 'throttled',
    500: 'unavailable',
    503: 'unavailable',
    529: 'unavailable',
  };
  expect(kindsOf([408, 409, 429, 500, 503, 529])).toEqual(kinds);
  expect(statusFault('lab/one', 503)).toEqual({
    kind: 'unavailable',
    detail: 'the model lab/one answered 503',
    source: 'model',
    retry_after_ms: 0,
  });
  expect(statusFault('lab/one', 429, { detail: 'slow down', retry_after_ms: 20_000 })).toMatchObject({
    detail: 'the model lab/one answered 429: slow down',
    retry_after_ms: 20_000,
  });
});
