import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, findBinary, freePort, natsServer, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Started } from './command-line.ts';
import { type MeshClient, meshClient } from './mesh/mesh-client.ts';

const timeout = 180_000;
const mesh = join(import.meta.dirname, 'mesh');

const environmentOf = ({ folder }: Bench) => ({
  WITNESS_ROWS: join(folder, 'rows.jsonl'),
  FOLDMESH_TOOLS: join(mesh, 'tools'),
  FOLDMESH_SKILLS: join(mesh, 'skills'),
  FOLDMESH_ACK_WAIT_MS: '2000',
});

const flags = (nats: { readonly url: string }, redis: { readonly url: string }): readonly string[] => [
  '--nats',
  nats.url,
  '--redis',
  redis.url,
];

interface Up {
  readonly process: Started;
  readonly client: MeshClient;
}

const up = async (at: Bench, servers: readonly string[]): Promise<Up> => {
  const port = await freePort();
  const process = at.start(['up', '--port', String(port), ...servers], environmentOf(at));
  await process.says(/foldmesh is up on/);
  return { process, client: meshClient(`http://127.0.0.1:${port}`) };
};

/** What it says in words; the other lines are its log. */
const sentencesIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('{"level"'));

const rowsOf = async ({ folder }: Bench): Promise<readonly string[]> => {
  const text = await readFile(join(folder, 'rows.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly effect: string }).effect); // as the witness wrote it
};

/** Two effects that must not be tried twice, and so long between them that a restart falls there. */
const longJob = {
  name: 'long',
  plan: {
    tasks: [
      { id: 'before', tool: 'witness.unsafe', input: { effect: 'before' } },
      { id: 'sleep', skill: 'debug.sleep', input: { ms: 5_000 }, depends_on: ['before'] },
      { id: 'after', tool: 'witness.unsafe', input: { effect: 'after' }, depends_on: ['sleep'] },
    ],
    result: '${tasks.after.output.effect}',
  },
};

describe('foldmesh up on servers', () => {
  it.for(['nats', 'nats-floor'] as const)(
    'keeps a job over its own restart (%s)',
    { timeout },
    async (kind) => {
      await using nats = await natsServer({ binary: (await findBinary(kind)).path });
      await using redis = await redisServer({ appendonly: 'everysec' });
      await using at = await bench();
      const first = await up(at, flags(nats, redis));
      const job = await first.client.submit(longJob);
      await eventually(async () => expect(await rowsOf(at)).toEqual(['before']), {
        withinMs: 30_000,
        everyMs: 5,
      });
      const began = performance.now();
      first.process.process.kill('SIGTERM');
      expect(await first.process.ended).toMatchObject({ code: 0 });
      // Its grace is 25 s.
      expect(performance.now() - began).toBeLessThan(15_000);
      const second = await up(at, flags(nats, redis));
      const { status, result } = await second.client.ended(job);
      expect({ status, result }).toEqual({ status: 'completed', result: 'after' });
      expect(await rowsOf(at)).toEqual(['before', 'after']);
      second.process.process.kill('SIGINT');
      expect(await second.process.ended).toMatchObject({ code: 0 });
    },
  );

  it('wants both servers or neither', async () => {
    await using at = await bench();
    for (const one of [
      ['--nats', 'nats://127.0.0.1:1'],
      ['--redis', 'redis://127.0.0.1:1'],
    ]) {
      const { code, err } = await at.run(['up', ...one]);
      expect([code, err]).toEqual([
        2,
        '--nats and --redis go together: a journal without its dedup store cannot keep what it promises\n',
      ]);
    }
  });

  it('waits for servers that are away, says for which, and ends at once when it is told to', {
    timeout,
  }, async () => {
    await using nats = await natsServer();
    await using redis = await redisServer();
    const away = { url: `127.0.0.1:${await freePort()}` };
    const cases = [
      [flags({ url: `nats://${away.url}` }, redis), /"fault":"[^"]*nats[^"]*"[^\n]*"waiting/i],
      [flags(nats, { url: `redis://${away.url}` }), /"fault":"redis at [^"]*"[^\n]*"waiting/],
    ] as const;
    for (const [servers, says] of cases) {
      await using at = await bench();
      const process = at.start(['up', '--port', '0', ...servers]);
      await process.says(says);
      const began = performance.now();
      process.process.kill('SIGINT');
      const { code, err } = await process.ended;
      expect(performance.now() - began).toBeLessThan(10_000);
      expect([code, sentencesIn(err)]).toEqual([0, ['ending; once more kills it']]);
    }
  });

  it('goes on by itself when the servers come', { timeout }, async () => {
    await using nats = await natsServer();
    await using redis = await redisServer({ appendonly: 'everysec' });
    await using at = await bench();
    await nats.stop();
    await redis.stop();
    const port = await freePort();
    const process = at.start(['up', '--port', String(port), ...flags(nats, redis)], environmentOf(at));
    await process.says(/waiting/);
    await nats.restart();
    await redis.restart();
    await process.says(/foldmesh is up on/);
    const client = meshClient(`http://127.0.0.1:${port}`);
    expect(await client.ended(await client.submit(longJob))).toMatchObject({ status: 'completed' });
  });

  it('refuses in one sentence what will not get better by itself', { timeout }, async () => {
    await using nats = await natsServer();
    await using redis = await redisServer();
    await using forgetful = await redisServer({ memoryBytesMax: 50_000_000, policy: 'allkeys-lru' });
    await using at = await bench();
    const cases = [
      [
        flags(nats, forgetful),
        /^redis at 127\.0\.0\.1:\d+: maxmemory-policy is allkeys-lru, and must be noeviction/,
      ],
      [flags({ url: 'ht!tp://x y' }, redis), /^the address of NATS cannot be read/],
      [flags(nats, { url: 'http://127.0.0.1' }), /its URL must be redis:\/\//],
    ] as const;
    for (const [servers, sentence] of cases) {
      const { code, out, err } = await at.run(['up', '--port', '0', ...servers]);
      expect([code, out, sentencesIn(err)]).toEqual([2, '', [expect.stringMatching(sentence)]]);
    }
  });
});
