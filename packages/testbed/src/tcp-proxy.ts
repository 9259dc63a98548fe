import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { carry, newNetwork } from './tcp-link.ts';

/** What a chunk of bytes is recognised by: a text or pattern in it, or what a function says. */
export type BytesMatch = string | RegExp | ((bytes: Buffer) => boolean);

/** What went through so far; chunks are as the network cut them, not as the protocol does. */
export interface ProxyCounts {
  /** Accepted since the beginning. */
  readonly connections: number;
  readonly open: number;
  readonly bytesToServer: number;
  readonly bytesToClient: number;
  readonly repliesDropped: number;
}

/** A network between a client and a server, as bad as it is told to be. */
export interface TcpProxy extends AsyncDisposable {
  readonly host: '127.0.0.1';
  readonly port: number;
  url(scheme: string): string;
  counts(): ProxyCounts;
  /** Resets every connection and refuses new ones. */
  cut(): void;
  /** Keeps connections open and accepts new ones, and passes nothing either way until it is mended; then all of it arrives. */
  blackHole(): void;
  /** Makes every chunk from now on come `ms` later, either way, in order. */
  delay(ms: number): void;
  /** Swallows the next chunks from the server: so many, or every one that matches. */
  dropReplies(which: number | BytesMatch): void;
  /**
   * Passes the next chunk to the server that matches, and then resets that one connection before a reply gets through;
   * resolves when it has. A request of several chunks is told by what its last one holds.
   */
  cutAfterRequest(match: BytesMatch): Promise<void>;
  /** Makes the network whole again: all of the above is over. */
  mend(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1 before a server that need not be there yet. */
export const tcpProxy = async (target: {
  readonly host?: string;
  readonly port: number;
}): Promise<TcpProxy> => {
  const network = newNetwork();
  const accept = (client: Socket): void => carry(network, client, target);
  const port = await freePort();
  let server = await listen(port, accept);
  const cut = (): void => {
    server.close();
    for (const link of network.links) link.reset();
  };
  return {
    host: '127.0.0.1',
    port,
    url: (scheme) => `${scheme}://127.0.0.1:${port}`,
    counts: () => ({ ...network.counts, open: [...network.links].filter(({ isOpen }) => isOpen()).length }),
    cut,
    blackHole: () => network.close(),
    delay: (ms) => {
      network.delayMs = ms;
    },
    dropReplies: (which) => {
      network.isDropped = typeof which === 'number' ? nextOf(which) : matcher(which);
    },
    cutAfterRequest: (match) =>
      new Promise((done) => {
        network.fatal = { matches: matcher(match), done };
      }),
    mend: async () => {
      network.delayMs = 0;
      network.isDropped = undefined;
      network.fatal = undefined;
      network.open();
      if (!server.listening) server = await listen(port, accept);
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      network.open();
    },
  };
};

/** Again and again: after a cut somebody's outgoing connection may hold the port for a moment. */
const listen = (port: number, accept: (client: Socket) => void): Promise<Server> =>
  eventually(async () => {
    // A side that has said all may still listen: only so do requests pass whose client hangs up after them.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  });

const matcher = (match: BytesMatch): ((bytes: Buffer) => boolean) => {
  if (typeof match === 'function') return match;
  if (typeof match === 'string') return (bytes) => bytes.includes(match);
  return (bytes) => bytes.toString('latin1').search(match) >= 0;
};

const nextOf = (count: number): (() => boolean) => {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0;
  };
};
