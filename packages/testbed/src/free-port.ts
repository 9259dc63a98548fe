import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { systemRandom } from '@foldmesh/system';

const lowest = 10_240;
const triesMax = 50;

/**
 * A port of 127.0.0.1 that nobody listens on, and that nobody else who asks here is given while this process lives: a
 * server may take its time to listen on it. It lies below those that the system gives to outgoing connections: a client
 * that keeps asking for the port of a dead server would sooner or later be given that very port, and connect to itself.
 */
export const freePort = async (): Promise<number> => {
  const highest = (await firstOutgoing()) - 1;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = highest > lowest ? lowest + Math.floor(systemRandom.float() * (highest - lowest)) : 0;
    const bound = await tryPort(port);
    if (bound !== undefined && (await reserve(bound))) return bound;
  }
  throw new Error(`no free port among ${triesMax} between ${lowest} and ${highest}`);
};

/** Port 0 asks the system for any; undefined where somebody listens already. */
const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) =>
      'code' in error && error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });

/** Its datagrams, which no server of ours wants, are the token of whoever was given the port; false where somebody was. */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const token = createSocket('udp4').unref();
    token.once('error', (error) =>
      'code' in error && error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    token.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });

/** The beginning of the range for outgoing connections; other systems than Linux use the one of the IANA. */
const firstOutgoing = async (): Promise<number> => {
  try {
    const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    return Number(/^\d+/.exec(range)?.[0] ?? 49_152);
  } catch {
    return 49_152;
  }
};
