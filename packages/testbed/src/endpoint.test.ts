import { expect, it } from 'vitest';
import { natsEndpoint, redisEndpoint } from './endpoint.ts';
import { tcpExchange } from './tcp-exchange.ts';

it('takes the running server that is named, and leaves it running', async () => {
  await using nats = await natsEndpoint({ FOLDMESH_TEST_NATS_URL: 'nats://elsewhere:4222' });
  await using redis = await redisEndpoint({ FOLDMESH_TEST_REDIS_URL: 'redis://elsewhere:6379' });
  expect([nats.url, redis.url]).toEqual(['nats://elsewhere:4222', 'redis://elsewhere:6379']);
});

it('starts its own where none is named', async () => {
  await using nats = await natsEndpoint({});
  await using redis = await redisEndpoint({ FOLDMESH_TEST_REDIS_URL: '' });
  const natsPort = Number(new URL(nats.url).port);
  await tcpExchange({ port: natsPort, words: '', until: /^INFO .*"jetstream":true/, withinMs: 15_000 });
  const redisPort = Number(new URL(redis.url).port);
  await tcpExchange({ port: redisPort, words: 'PING\r\n', until: /^\+PONG/, withinMs: 15_000 });
});
