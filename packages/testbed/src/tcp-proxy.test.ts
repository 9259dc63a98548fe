import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';

interface Echo extends AsyncDisposable {
  readonly port: number;
  heard(): string;
}

/** Gives back what it hears, and remembers it. */
const echoServer = async (): Promise<Echo> => {
  let heard = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    heard: () => heard,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

interface Client {
  readonly socket: Socket;
  readonly how: { ended: string };
  heard(): string;
  /** Says something and waits until it came back. */
  echoed(text: string): Promise<void>;
}

const clientOf = async (port: number): Promise<Client> => {
  let heard = '';
  const how = { ended: 'no' };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', (error) => {
    how.ended = (error as NodeJS.ErrnoException).code ?? 'error';
  });
  socket.on('end', () => {
    how.ended = 'end';
  });
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  await once(socket, 'connect');
  return {
    socket,
    how,
    heard: () => heard,
    echoed: async (text) => {
      socket.write(text);
      await eventually(() => heard.endsWith(text));
    },
  };
};

const setting = async (): Promise<{ readonly echo: Echo; readonly proxy: TcpProxy } & AsyncDisposable> => {
  const echo = await echoServer();
  const proxy = await tcpProxy(echo);
  return {
    echo,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await echo[Symbol.asyncDispose]();
    },
  };
};

it('passes what is said either way, and counts it', async () => {
  await using at = await setting();
  expect(at.proxy.url('nats')).toBe(`nats://127.0.0.1:${at.proxy.port}`);
  const client = await clientOf(at.proxy.port);
  await client.echoed('hello');
  expect(at.proxy.counts()).toEqual({
    connections: 1,
    open: 1,
    bytesToServer: 5,
    bytesToClient: 5,
    repliesDropped: 0,
  });
  client.socket.end();
  await eventually(() => expect(client.how.ended).toBe('end'));
  await eventually(() => at.proxy.counts().open === 0);
});

it('passes much, whole and in order', async () => {
  await using at = await setting();
  const client = await clientOf(at.proxy.port);
  const lines = Array.from({ length: 100_000 }, (_, index) => `${index} of many lines\n`).join('');
  client.socket.write(lines);
  await eventually(() => client.heard().length === lines.length);
  expect(client.heard() === lines).toBe(true);
  client.socket.destroy();
});

it('resets and refuses when it is cut, and serves at the same port when it is mended', async () => {
  await using at = await setting();
  const client = await clientOf(at.proxy.port);
  await client.echoed('hello');
  at.proxy.cut();
  await eventually(() => expect(client.how.ended).toBe('ECONNRESET'));
  await expect(clientOf(at.proxy.port)).rejects.toThrow('ECONNREFUSED');
  await at.proxy.mend();
  const again = await clientOf(at.proxy.port);
  await again.echoed('hello again');
});

it('holds everything in a black hole, and lets it arrive afterwards', async () => {
  await using at = await setting();
  const before = await clientOf(at.proxy.port);
  await before.echoed('hello');
  at.proxy.blackHole();
  const within = await clientOf(at.proxy.port);
  before.socket.write(' one');
  within.socket.write(' two');
  // Somebody beside the hole says more than enough for the others to have been heard.
  const beside = await clientOf(at.echo.port);
  for (let count = 0; count < 20; count += 1) await beside.echoed(`.${count}`);
  expect(at.echo.heard()).toMatch(/^hello[.\d]*\.19$/);
  expect([before.how.ended, within.how.ended, at.proxy.counts().open]).toEqual(['no', 'no', 2]);
  await at.proxy.mend();
  await eventually(() => expect([before.heard(), within.heard()]).toEqual(['hello one', ' two']));
});

it('delays each chunk and keeps their order, without adding delay to delay', async () => {
  await using at = await setting();
  const client = await clientOf(at.proxy.port);
  await client.echoed('warm');
  at.proxy.delay(500);
  const began = performance.now();
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    client.socket.write(text);
    await new Promise(setImmediate);
  }
  await eventually(() => expect(client.heard()).toBe('warmabcde'));
  const tookMs = performance.now() - began;
  expect(tookMs).toBeGreaterThanOrEqual(999);
  // One after the other, each with a delay of its own, five would take longer than this in either direction.
  expect(tookMs).toBeLessThan(2_500);
});

it('swallows so many replies, or those that match', async () => {
  await using at = await setting();
  const client = await clientOf(at.proxy.port);
  at.proxy.dropReplies(1);
  client.socket.write('lost');
  await eventually(() => at.proxy.counts().repliesDropped === 1);
  await client.echoed('kept');
  at.proxy.dropReplies(/^lo.t/);
  for (const text of ['lost', 'loot']) {
    const { repliesDropped } = at.proxy.counts();
    client.socket.write(text);
    await eventually(() => at.proxy.counts().repliesDropped === repliesDropped + 1);
  }
  await client.echoed('kept too');
  await at.proxy.mend();
  await client.echoed('lost no more');
  expect(client.heard()).toBe('keptkept toolost no more');
});

it('lets a request through and its reply not', async () => {
  await using at = await setting();
  const client = await clientOf(at.proxy.port);
  await client.echoed('first');
  const cut = at.proxy.cutAfterRequest('book');
  await client.echoed('other');
  client.socket.write('book it');
  await cut;
  await eventually(() => expect(client.how.ended).toBe('ECONNRESET'));
  await eventually(() => expect(at.echo.heard()).toBe('firstotherbook it'));
  expect(client.heard()).toBe('firstother');
  const again = await clientOf(at.proxy.port);
  await again.echoed('book again');
});

it('hangs up on clients of a server that is not there, or goes', async () => {
  await using proxy = await tcpProxy({ port: await freePort() });
  const client = await clientOf(proxy.port);
  await eventually(() => expect(client.how.ended).not.toBe('no'));
  await using at = await setting();
  const other = await clientOf(at.proxy.port);
  await other.echoed('hello');
  await at.echo[Symbol.asyncDispose]();
  await eventually(() => expect(other.how.ended).not.toBe('no'));
});
