import { describe, expect, it } from 'vitest';
import { serverAddress } from './server-address.ts';

const readAs = (text: string) => {
  const address = serverAddress(text);
  return address.ok ? address.value : address.fault.kind;
};

it.each([
  ['nats://localhost:4222', { servers: ['localhost:4222'] }],
  ['localhost', { servers: ['localhost'] }],
  [' nats://a:1 , b:2', { servers: ['a:1', 'b:2'] }],
  ['nats://user:word@a:1', { servers: ['a:1'], user: 'user', pass: 'word' }],
  ['nats://us%40er:p%3Aw%2F%25@a:1,nats://a:2', { servers: ['a:1', 'a:2'], user: 'us@er', pass: 'p:w/%' }],
  ['nats://t0ken@a:1', { servers: ['a:1'], token: 't0ken' }],
  ['tls://a:1', { servers: ['a:1'], tls: {} }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
])('%s', (text, address) => {
  expect(readAs(text)).toEqual(address);
});

describe('an address that cannot be read', () => {
  it.each([
    '',
    'nats://',
    'nats://user:s3cr/et@a:1',
    'nats://user:s3cr%et@a:1',
    'nats://user:s3cret@a:99999',
  ])('%j is invalid, and no part of it is repeated', (text) => {
    const address = serverAddress(text);
    expect(address).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
    expect(JSON.stringify(address)).not.toContain('s3cr');
  });
});
