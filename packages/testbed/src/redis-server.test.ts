import { expect, it } from 'vitest';
import { type RedisServer, redisServer } from './redis-server.ts';
import { tcpExchange } from './tcp-exchange.ts';

/** One command, in the words that people type. */
const ask = async ({ port }: RedisServer, command: string, withinMs = 15_000): Promise<string> => {
  const words = `${command}\r\nECHO done\r\n`;
  const [, said = ''] = await tcpExchange({ port, words, until: /^(.*)\$4\r\ndone\r\n/s, withinMs });
  return said.trim().replaceAll('\r\n', ' ');
};

it('keeps what was synced at each write, killed or stopped', async () => {
  await using server = await redisServer({ appendonly: 'always' });
  expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
  expect(server.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(await ask(server, 'SET a one')).toBe('+OK');
  await server.kill();
  await server.restart();
  expect(await ask(server, 'GET a')).toBe('$3 one');
  await server.restart();
  expect(await ask(server, 'GET a')).toBe('$3 one');
});

it('forgets with its process where it is told to store nothing', async () => {
  await using server = await redisServer({ memoryBytesMax: 20_000_000, policy: 'noeviction' });
  expect(await ask(server, 'CONFIG GET maxmemory')).toContain('20000000');
  expect(await ask(server, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
  await ask(server, 'SET a one');
  await server.pause();
  await expect(ask(server, 'GET a', 50)).rejects.toThrow('said only ""');
  server.resume();
  expect(await ask(server, 'GET a')).toBe('$3 one');
  await server.restart();
  expect(await ask(server, 'GET a')).toBe('$-1');
});

it('says why a server does not start', async () => {
  await using server = await redisServer();
  await expect(redisServer({ port: server.port })).rejects.toThrow(`a port of ${server.port}`);
  await expect(redisServer({ policy: 'none-such' })).rejects.toThrow(
    /redis-server ended with 1: .*none-such/s,
  );
});
