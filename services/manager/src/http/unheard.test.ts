import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ProblemDetails, problemCodes } from '@foldmesh/client';
import { invariant } from '@foldmesh/envelope';
import { httpServer } from '@foldmesh/system';
import { expect, it, onTestFinished } from 'vitest';

it('what no route ever hears of is a problem of the API like any other', async () => {
  const server = httpServer(async () => new Response('heard'));
  onTestFinished(() => server.close(0));
  const listening = await server.listen('127.0.0.1', 0);
  invariant(listening.ok, 'a free port can be listened on');
  for (const bytes of [
    'hello\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
    'POST / HTTP/1.1\r\nhost: a\r\nexpect: much\r\n\r\n',
  ]) {
    const socket = connect(listening.value, '127.0.0.1');
    await once(socket, 'connect');
    const heard = text(socket);
    socket.end(bytes);
    const [, , body = ''] = /^(HTTP\/1\.1 \d+ )[\s\S]*?(\{.*\})/.exec(await heard) ?? [];
    const problem = ProblemDetails.strict().parse(JSON.parse(body));
    expect([bytes, Object.keys(problemCodes)]).toEqual([bytes, expect.arrayContaining([problem.code])]);
  }
});
