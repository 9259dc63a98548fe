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
    fault: {
      kind: 'refused',
      detail: `port ${port} is in use: name another with --port or api.port; 0 picks a free one`,
    },
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

/** Everything that is answered to these bytes until the connection ends. */
const answersTo = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  const heard = text(socket).catch(() => '');
  socket.write(bytes);
  return heard;
};

const host = 'host: 127.0.0.1';
const close = 'connection: close';

it.each([
  ['no HTTP at all', ['hello'], 400, 'bad_request'],
  ['no host', ['GET / HTTP/1.1', close], 400, 'bad_request'],
  ['two hosts', ['GET / HTTP/1.1', host, 'host: elsewhere.example', close], 400, 'bad_request'],
  ['a host with more than a name', ['GET / HTTP/1.1', 'host: me@127.0.0.1', close], 400, 'bad_request'],
  ['no path', ['OPTIONS * HTTP/1.1', host, close], 400, 'bad_request'],
  ['two lengths', ['POST / HTTP/1.1', host, 'content-length: 1', 'content-length: 2'], 400, 'bad_request'],
  [
    'a length and chunks',
    ['POST / HTTP/1.1', host, 'content-length: 1', 'transfer-encoding: chunked'],
    400,
    'bad_request',
  ],
  ['very long headers', ['GET / HTTP/1.1', host, `x: ${'x'.repeat(20_000)}`], 431, 'headers_too_large'],
  ['a tunnel', ['CONNECT elsewhere.example:80 HTTP/1.1', host], 405, 'method_not_allowed'],
  ['a strange expectation', ['POST / HTTP/1.1', host, close, 'expect: the-worst'], 417, 'bad_request'],
] as const)('says what is wrong with %s as a problem', async (_, lines, status, code) => {
  let asked = 0;
  const port = await listen(
    httpServer(async () => {
      asked += 1;
      return new Response('heard');
    }),
  );
  const [head = '', body = ''] = (await answersTo(port, `${lines.join('\r\n')}\r\n\r\n`)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain('content-type: application/problem+json');
  expect(JSON.parse(body)).toEqual({
    type: `urn:foldmesh:problem:${code}`,
    title: expect.any(String),
    status,
    code,
    retryable: false,
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    errors: [],
  });
  expect(asked).toBe(0);
});

it('tells a defect of the function as a problem, and nothing of what it was', async () => {
  const port = await listen(httpServer(() => Promise.reject(new Error('secret'))));
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
  expect(await answer.text()).not.toContain('secret');
});

it('does not speak within an answer that is under way', async () => {
  const port = await listen(
    httpServer(
      async () =>
        new Response(
          new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('begun')) }),
        ),
    ),
  );
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`GET / HTTP/1.1\r\n${host}\r\n\r\n`);
  await expect.poll(() => heard).toContain('begun');
  socket.write('no request\r\n\r\n');
  await gone;
  expect(heard).not.toContain('problem');
});

it('holds so many connections at once, and takes the next when one has gone', async () => {
  const port = await listen(httpServer(async () => new Response('heard'), { connectionsMax: 2 }));
  const ask = (): Promise<string> => answersTo(port, `GET / HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`);
  const idle = [0, 1].map(() => connect(port, '127.0.0.1'));
  for (const socket of idle) await new Promise((resolve) => socket.once('connect', resolve));
  await expect.poll(ask, { timeout: 5_000 }).toBe('');
  idle[0]?.destroy();
  await expect.poll(ask, { timeout: 5_000 }).toMatch(/heard$/m);
  idle[1]?.destroy();
});
