import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { invariant } from '@foldmesh/envelope';
import { expect, it, onTestFinished } from 'vitest';
import { type HttpServer, httpServer } from './http-server.ts';

const listen = async (server: HttpServer, port = 0): Promise<number> => {
  const listening = await server.listen('127.0.0.1', port);
  invariant(listening.ok, listening.ok ? '' : listening.fault.detail);
  onTestFinished(() => server.close(0));
  return listening.value;
};

/** Whether nobody takes a connection in any more. */
const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

it('answers on the port that it says, a free one for 0', async () => {
  const port = await listen(httpServer(async (request) => new Response(new URL(request.url).pathname)));
  const answer = await fetch(`http://127.0.0.1:${port}/here`);
  expect([port > 0, answer.status, await answer.text()]).toEqual([true, 200, '/here']);
});

it('says in one sentence that a port is in use', async () => {
  const port = await listen(httpServer(async () => new Response('first')));
  const second = await httpServer(async () => new Response('second')).listen('127.0.0.1', port);
  expect(second).toMatchObject({
    ok: false,
    fault: { kind: 'refused', detail: `port ${port} is in use; 0 picks a free one` },
  });
});

it('lets what is in hand be answered when it closes, and takes nothing new', async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = httpServer(async () => {
    asked.resolve();
    await release.promise;
    return new Response('in time');
  });
  const port = await listen(server);
  const inHand = fetch(`http://127.0.0.1:${port}/`);
  await asked.promise;
  const closed = server.close(10_000);
  await expect.poll(() => isRefused(port)).toBe(true);
  release.resolve();
  expect(await (await inHand).text()).toBe('in time');
  await closed;
});

it('drops what is not answered in time', async () => {
  const asked = Promise.withResolvers<void>();
  const server = httpServer(() => {
    asked.resolve();
    return new Promise<Response>(() => undefined);
  });
  const port = await listen(server);
  const never = fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => String(error));
  await asked.promise;
  await server.close(300);
  expect(await never).toContain('fetch failed');
});

it('is heard by one who is answered before all of the request was read, and whose connection then closes', async () => {
  const port = await listen(httpServer(async () => new Response('too much', { status: 413 })));
  for (let round = 0; round < 20; round++) {
    const socket = connect(port, '127.0.0.1');
    const heard = text(socket);
    const head = ['POST / HTTP/1.1', 'host: x', 'connection: close', 'content-length: 200000'];
    socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(100_000)}`);
    socket.write('x'.repeat(100_000));
    expect(await heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*too much/);
  }
});
