import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariant } from '@foldmesh/envelope';
import type { RedisStores } from '@foldmesh/redis';
import { eventually, findBinary, type RedisServer, type TcpProxy, tcpProxy } from '@foldmesh/testbed';
import { expect } from 'vitest';
import { got } from './rig.ts';
import { claimOf, samples } from './samples.ts';

/** What a person would type at the server; gives the reply as it came over the wire. */
export const typeAt = ({ port }: { readonly port: number }, ...words: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const said: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request(words) + request(['QUIT'])));
    socket.on('data', (bytes) => said.push(bytes));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(said).toString()));
  });

const request = (words: readonly string[]): string =>
  [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''].join('\r\n');

/** A bad network before a server. */
export const proxied = (server: RedisServer): Promise<TcpProxy> => tcpProxy({ port: server.port });

export const isReady = (stores: RedisStores): boolean => stores.problems().length === 0;

/** A claim on a record of its own. */
export const claimOn = (stores: RedisStores, step: number, owner = 'one', leaseMs = 60_000) =>
  stores.inbox.claim(claimOf(samples('redis').record(step), owner, leaseMs));

/** A claim that must be won. */
export const wonOn = async (stores: RedisStores, step: number, owner?: string, leaseMs?: number) => {
  const claimed = got(await claimOn(stores, step, owner, leaseMs));
  invariant(claimed.kind === 'won', `the claim was answered ${claimed.kind}`);
  return { ...claimed, held: { ...samples('redis').record(step), token: claimed.token } };
};

/** Waits until the stores say that they may be used. */
export const recovered = (stores: RedisStores): Promise<unknown> =>
  eventually(() => expect(stores.problems()).toEqual([]), { withinMs: 20_000 });

/** A server that takes its time to read what it has stored: a fifth of a millisecond for each command. */
export const slowLoader = async (): Promise<AsyncDisposable & { readonly binary: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'foldmesh-slow-loader-'));
  const binary = join(folder, 'redis-server');
  const { path } = await findBinary('redis');
  await writeFile(binary, `#!/bin/sh\nexec '${path}' --key-load-delay 200 "$@"\n`, { mode: 0o755 });
  return { binary, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
};
