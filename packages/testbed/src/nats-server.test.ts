import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type NatsServer, natsServer } from './nats-server.ts';
import { tcpExchange } from './tcp-exchange.ts';

/** Asks JetStream as a client does, in the protocol's own words. */
const ask = async ({ port }: NatsServer, subject: string, body = '', withinMs = 15_000): Promise<string> => {
  const words = `CONNECT {"verbose":false}\r\nSUB answer 1\r\nPUB ${subject} answer ${body.length}\r\n${body}\r\n`;
  const [, said = ''] = await tcpExchange({ port, words, until: /^MSG answer .*\r\n(.*)\r\n/m, withinMs });
  return said;
};

const stream = JSON.stringify({ name: 's', subjects: ['s.>'], storage: 'file' });
const storedIn = async (server: NatsServer): Promise<unknown> =>
  JSON.parse(await ask(server, '$JS.API.STREAM.INFO.s')).state.messages;

it('keeps what is stored, at the same port, whether it is stopped or killed', async () => {
  const server = await natsServer({ syncAlways: true });
  expect(server.version).toMatch(/^2\.\d+\.\d+$/);
  expect(server.url).toBe(`nats://127.0.0.1:${server.port}`);
  expect(await ask(server, '$JS.API.STREAM.CREATE.s', stream)).toContain('"name":"s"');
  await ask(server, 's.a', 'one');
  const { pid } = server;
  await server.kill();
  await expect(ask(server, '$JS.API.INFO')).rejects.toThrow('ECONNREFUSED');
  await server.restart();
  expect(server.pid).not.toBe(pid);
  expect(await storedIn(server)).toBe(1);
  await ask(server, 's.a', 'two');
  await server.restart();
  expect(await storedIn(server)).toBe(2);
  await server.stop();
  await server.stop();
  await server[Symbol.asyncDispose]();
  expect(existsSync(server.folder)).toBe(false);
  expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
});

it('answers nothing while it is paused, then goes on; and can be stopped frozen', async () => {
  await using server = await natsServer();
  await server.pause();
  await expect(ask(server, '$JS.API.INFO', '', 50)).rejects.toThrow('said only ""');
  server.resume();
  expect(await ask(server, '$JS.API.INFO')).toContain('"type"');
  await server.pause();
  await server.stop();
});

it('takes a port, a folder, a limit and lines of configuration', async () => {
  const storeDir = await mkdtemp(join(tmpdir(), 'foldmesh-store-'));
  const port = await freePort();
  {
    await using server = await natsServer({
      port,
      storeDir,
      payloadBytesMax: 2_048,
      config: ['max_connections: 7'],
    });
    expect(server.port).toBe(port);
    const words = 'GET /varz HTTP/1.0\r\n\r\n';
    const until = /"max_connections": 7,.*"max_payload": 2048,/s;
    const monitorPort = Number(new URL(server.monitorUrl).port);
    await tcpExchange({ port: monitorPort, words, until, withinMs: 15_000 });
  }
  expect(await readdir(storeDir)).toEqual(['jetstream']);
  await rm(storeDir, { recursive: true });
});

it('says why a server does not start', async () => {
  await using server = await natsServer();
  await expect(natsServer({ port: server.port })).rejects.toThrow(`a port of ${server.port}`);
  await expect(natsServer({ config: ['no such line {'] })).rejects.toThrow(
    /nats-server ended with 1: .*parse/is,
  );
});

it('lets many start at once', async () => {
  const servers = await Promise.all(Array.from({ length: 4 }, () => natsServer()));
  expect(new Set(servers.map(({ port }) => port)).size).toBe(4);
  await eventually(() => servers.every(({ pid }) => pid > 0));
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});
