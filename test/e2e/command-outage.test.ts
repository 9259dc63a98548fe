import { freePort, natsServer, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Started } from './command-line.ts';
import { jsonOf, sleepJob } from './command-mesh.ts';

interface Served {
  readonly up: Started;
  readonly url: string;
}

/** A mesh at a port of its own, where another may come after it. */
const serve = async (at: Bench, port: number, ...options: readonly string[]): Promise<Served> => {
  const up = at.start(['up', '--port', String(port), ...options]);
  await up.says(/foldmesh is up on/);
  return { up, url: `http://127.0.0.1:${port}` };
};

const stop = async ({ up }: Served): Promise<string> => {
  up.process.kill('SIGINT');
  const { code, err } = await up.ended;
  expect(code).toBe(0);
  return err;
};

const submitted = async (at: Bench, url: string, file: string): Promise<string> =>
  (await at.run(['submit', file, '--url', url])).out.trim();

describe('a mesh that goes away', () => {
  it('is said to be lost and to be back, and a job that it has forgotten is not found', async () => {
    await using at = await bench();
    await at.write('sleep.yaml', sleepJob(600_000));
    const port = await freePort();
    const first = await serve(at, port);
    const job = await submitted(at, first.url, 'sleep.yaml');
    const looking = (['watch', 'events'] as const).map((command) =>
      at.start([command, job, '--url', first.url]),
    );
    for (const one of looking) await one.says(/a +running|tasks-assigned/);
    expect(await stop(first)).toMatch(
      /^1 unfinished job is forgotten: without --nats and --redis all is kept in memory$/m,
    );
    for (const one of looking) await one.says(new RegExp(`^lost ${first.url}, trying again$`, 'm'));
    await serve(at, port);
    for (const one of looking) {
      const { code, err } = await one.ended;
      expect(code).toBe(4);
      expect(err).toMatch(
        new RegExp(
          `lost ${first.url}, trying again\\nback\\n${job} is gone: the mesh at ${first.url} does not know it any more; .*\\n$`,
        ),
      );
    }
  });

  it('says nothing of a job that goes on where nobody can know it', async () => {
    await using at = await bench();
    await at.write('sleep.yaml', sleepJob(600_000));
    const mesh = await serve(at, await freePort());
    const job = await submitted(at, mesh.url, 'sleep.yaml');
    const watching = at.start(['watch', job, '--url', mesh.url]);
    await watching.says(/a +running/);
    await stop(mesh);
    await watching.says(/^lost /m);
    watching.process.kill('SIGINT');
    const { code, err } = await watching.ended;
    expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([
      130,
      `whether the job goes on cannot be said while ${mesh.url} is away: foldmesh watch ${job}`,
    ]);
  });

  it('forgets nothing where its work is kept in servers, and is followed to the end', {
    timeout: 180_000,
  }, async () => {
    await using nats = await natsServer();
    await using redis = await redisServer({ appendonly: 'everysec' });
    await using at = await bench();
    const servers = ['--nats', nats.url, '--redis', redis.url];
    await at.write('sleep.yaml', sleepJob(600_000));
    const port = await freePort();
    const first = await serve(at, port, ...servers);
    const job = await submitted(at, first.url, 'sleep.yaml');
    const watching = at.start(['watch', job, '--url', first.url, '--json']);
    await watching.says(/a +running/);
    expect(await stop(first)).not.toContain('forgotten');
    await watching.says(/^lost /m);
    await serve(at, port, ...servers);
    await watching.says(/^back$/m);
    await at.run(['cancel', job, '--url', first.url]);
    const { code, out } = await watching.ended;
    expect(code).toBe(1);
    expect(jsonOf({ code: 0, out, err: '' })).toMatchObject({ id: job, status: 'cancelled' });
  });
});
