import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { ConnectionOptions } from '@nats-io/transport-node';

/** How the client wants to have servers and who we are. */
export type ServerAddress = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>;

/**
 * The client does not read credentials out of an address, and would print them where it prints addresses. Those of the
 * first address count for all. No part of the text goes into the fault: it may hold a password.
 */
export const serverAddress = (text: string): Result<ServerAddress> => {
  try {
    const urls = text
      .split(',')
      .map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));
    if (urls.some(({ host }) => host === '')) return unreadable();
    const user = decodeURIComponent(urls[0]?.username ?? '');
    const pass = decodeURIComponent(urls[0]?.password ?? '');
    return ok({
      servers: urls.map(({ host }) => host),
      ...(user !== '' && pass !== '' && { user, pass }),
      ...(user !== '' && pass === '' && { token: user }),
      ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    });
  } catch {
    // The exception holds the text.
    return unreadable();
  }
};

const unreadable = () =>
  fail(
    fault(
      'invalid',
      'the address of NATS cannot be read; it is nats://user:password@host:port, where what is special in a user or ' +
        'password (such as @ / # %) is written as %40 %2F %23 %25',
      { source: 'nats' },
    ),
  );
