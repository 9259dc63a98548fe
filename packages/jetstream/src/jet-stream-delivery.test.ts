import { headers } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { headersOf } from './jet-stream-delivery.ts';

it('a message without headers has none', () => {
  expect(headersOf(undefined)).toEqual({});
});

it('of a header that was written twice the first counts', () => {
  const set = headers();
  set.append('Mesh-Key', 'first');
  set.append('Mesh-Key', 'second');
  set.append('__proto__', 'a name like any other');
  expect(Object.entries(headersOf(set))).toEqual([
    ['Mesh-Key', 'first'],
    ['__proto__', 'a name like any other'],
  ]);
});
