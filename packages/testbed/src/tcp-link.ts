import { connect, type Socket } from 'node:net';
import { systemClock } from '@foldmesh/system';

/** What waits in one direction of one connection before its source is read no further. */
const queuedBytesMax = 1024 * 1024;

/** One client and its connection to the server. */
export interface Link {
  isOpen(): boolean;
  reset(): void;
}

/** The state of a network, which its commands change and its links look at. */
export interface Network {
  readonly links: Set<Link>;
  readonly counts: {
    connections: number;
    bytesToServer: number;
    bytesToClient: number;
    repliesDropped: number;
  };
  delayMs: number;
  isDropped: ((bytes: Buffer) => boolean) | undefined;
  /** The request after which its connection is reset. */
  fatal: { readonly matches: (bytes: Buffer) => boolean; readonly done: () => void } | undefined;
  /** Resolves once anything passes. */
  passable(): Promise<void>;
  open(): void;
  close(): void;
}

/** A network in order. */
export const newNetwork = (): Network => {
  let gate: PromiseWithResolvers<void> | undefined;
  return {
    links: new Set(),
    counts: { connections: 0, bytesToServer: 0, bytesToClient: 0, repliesDropped: 0 },
    delayMs: 0,
    isDropped: undefined,
    fatal: undefined,
    passable: async () => gate?.promise,
    open: () => {
      gate?.resolve();
      gate = undefined;
    },
    close: () => {
      gate ??= Promise.withResolvers<void>();
    },
  };
};

/** Connects a client through the network to its server, for as long as both stay. */
export const carry = (
  network: Network,
  client: Socket,
  target: { readonly host?: string; readonly port: number },
): void => {
  network.counts.connections += 1;
  // Until the network passes anything, the client has a connection and the server knows nothing of it.
  const server = network.passable().then(() => {
    if (client.destroyed) return undefined;
    const socket = connect({
      host: target.host ?? '127.0.0.1',
      port: target.port,
      allowHalfOpen: true,
      noDelay: true,
    });
    join(network, link, client, socket);
    return socket;
  });
  const link: Link = {
    isOpen: () => !client.destroyed,
    reset: () => {
      network.links.delete(link);
      client.resetAndDestroy();
      void server.then((socket) => socket?.resetAndDestroy());
    },
  };
  network.links.add(link);
  client.on('error', () => undefined);
};

const join = (network: Network, link: Link, client: Socket, server: Socket): void => {
  const { counts } = network;
  let isCut = false;
  const toServer = flow(network, client, server, async (bytes) => {
    counts.bytesToServer += bytes.length;
    await written(server, bytes);
    const { fatal } = network;
    if (isCut || !fatal?.matches(bytes)) return;
    network.fatal = undefined;
    isCut = true;
    client.resetAndDestroy();
    // A reset could overtake the request; an end comes after it, and what is answered until then goes nowhere.
    server.end();
    fatal.done();
  });
  const toClient = flow(network, server, client, async (bytes) => {
    if (isCut) return;
    if (network.isDropped?.(bytes)) {
      counts.repliesDropped += 1;
      return;
    }
    counts.bytesToClient += bytes.length;
    await written(client, bytes);
  });
  server.on('error', () => undefined);
  client.once('close', (wasReset) => {
    if (isCut) return;
    void toServer.drained().then(() => (wasReset ? server.resetAndDestroy() : server.destroySoon()));
  });
  server.once('close', (wasReset) => {
    network.links.delete(link);
    void toClient.drained().then(() => (wasReset ? client.resetAndDestroy() : client.destroySoon()));
  });
};

/** One direction: each chunk is delivered when it is due and something passes, one after the other. */
const flow = (
  network: Network,
  from: Socket,
  to: Socket,
  deliver: (bytes: Buffer) => Promise<void>,
): { drained(): Promise<void> } => {
  let queuedBytes = 0;
  let tail = Promise.resolve();
  from.on('data', (bytes: Buffer) => {
    const dueAt = systemClock.monotonic() + network.delayMs;
    queuedBytes += bytes.length;
    if (queuedBytes > queuedBytesMax) from.pause();
    tail = tail.then(async () => {
      const leftMs = dueAt - systemClock.monotonic();
      if (leftMs > 0) await systemClock.sleep(leftMs);
      await network.passable();
      await deliver(bytes);
      queuedBytes -= bytes.length;
      if (queuedBytes <= queuedBytesMax) from.resume();
    });
  });
  from.once('end', () => {
    tail = tail.then(() => network.passable()).then(() => void to.end());
  });
  return { drained: () => tail.then(() => network.passable()) };
};

/** Resolves also where the other side is gone: its own end says so. */
const written = (to: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => to.write(bytes, () => resolve()));
