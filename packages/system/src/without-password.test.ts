import { describe, expect, it } from 'vitest';
import { withoutPassword } from './without-password.ts';

describe('an address that is printed', () => {
  it.each([
    ['nats://user:secret@nats:4222', 'nats://***@nats:4222'],
    ['user:secret@nats:4222', '***@nats:4222'],
    ['nats://a:b@h1:4222,c:d@h2:4222', 'nats://***@h1:4222,***@h2:4222'],
    ['nats://h1:4222,nats://h2:4222', 'nats://h1:4222,nats://h2:4222'],
    ['redis://:p/ss@h:6379/1', 'redis://***@h:6379/1'],
    ['nats://u:p@ss@h', 'nats://***@h'],
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['/some/folder', '/some/folder'],
  ])('%s is shown as %s', (text, shown) => {
    expect(withoutPassword(text)).toBe(shown);
  });
});
