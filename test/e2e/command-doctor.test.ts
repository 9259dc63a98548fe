import { eventually, freePort, natsServer, redisServer } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Ended } from './command-line.ts';
import { natsRequest } from './mesh/nats-request.ts';

interface Finding {
  readonly what: string;
  readonly reached: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

interface Report {
  readonly findings: readonly Finding[];
  readonly problems: readonly string[];
}

const report = ({ out }: Ended): Report => JSON.parse(out);

const finding = ({ findings }: Report, what: string): Finding | undefined =>
  findings.find((one) => one.what === what);

const doctor = async (at: Bench, environment: Readonly<Record<string, string>>) => {
  const ended = await at.run(['doctor', '--json'], environment);
  return { code: ended.code, report: report(ended), ended };
};

const timeout = 180_000;

describe('foldmesh doctor', () => {
  it('finds nothing wrong where nobody named a server, and says where it looked', async () => {
    await using at = await bench();
    const { code, out, err } = await at.run(['doctor']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^log +"warn" {2}\(default\)$/m);
    expect(out).toMatch(/^nats +nats:\/\/127\.0\.0\.1:4222 {2}/m);
    expect(out).toMatch(/^nothing is wrong$/m);
  });

  it('says of each server that was named and is away that it is, and ends with 1', async () => {
    await using at = await bench();
    const [nats, redis, api] = [await freePort(), await freePort(), await freePort()];
    const {
      code,
      report: said,
      ended,
    } = await doctor(at, {
      NATS_URL: `nats://user:secret@127.0.0.1:${nats}`,
      REDIS_URL: `redis://:secret@127.0.0.1:${redis}`,
      FOLDMESH_URL: `http://127.0.0.1:${api}`,
    });
    expect(code).toBe(1);
    expect(said.problems).toEqual([
      expect.stringMatching(new RegExp(`^NATS at .*127\\.0\\.0\\.1:${nats}: .*not reachable`)),
      expect.stringMatching(new RegExp(`^redis at 127\\.0\\.0\\.1:${redis}: not connected: .*ECONNREFUSED`)),
      expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:${api} cannot be reached`)),
    ]);
    expect(ended.out + ended.err).not.toContain('secret');
  });

  it('looks at servers without making a mesh there, and then at the mesh', { timeout }, async () => {
    await using nats = await natsServer();
    await using redis = await redisServer({ appendonly: 'everysec' });
    await using at = await bench();
    const servers = { NATS_URL: nats.url, REDIS_URL: redis.url };
    const before = await doctor(at, servers);
    expect([before.code, before.report.problems]).toEqual([0, []]);
    expect(finding(before.report, 'nats')).toMatchObject({
      reached: true,
      facts: { version: expect.stringMatching(/^2\.\d+/), jetstream: true, durability: 'best-effort' },
    });
    expect(finding(before.report, 'nats')?.facts['streams_missing']).toContain('MESH_JOURNAL');
    expect(await natsRequest(nats, '$JS.API.STREAM.NAMES', {})).toMatchObject({ total: 0 });
    expect(finding(before.report, 'redis')).toMatchObject({
      reached: true,
      facts: {
        policy: 'noeviction',
        role: 'master',
        durability: 'every-second',
        clock_offset_ms: expect.any(Number),
      },
    });
    const port = await freePort();
    const up = at.start(['up', '--port', String(port), '--nats', nats.url, '--redis', redis.url]);
    await up.says(/foldmesh is up on/);
    const FOLDMESH_URL = `http://127.0.0.1:${port}`;
    // The manager reads a moment later what its pools say of themselves.
    const during = await eventually(
      async () => {
        const found = await doctor(at, { ...servers, FOLDMESH_URL });
        expect([found.code, found.report.problems]).toEqual([0, []]);
        expect(finding(found.report, 'api')?.facts).toMatchObject({ pools: [{ pool: 'default', slots: 8 }] });
        return found;
      },
      { withinMs: 30_000 },
    );
    expect(finding(during.report, 'nats')?.facts).toMatchObject({
      streams_missing: [],
      differences: [],
      replicas: 1,
    });
    expect(finding(during.report, 'api')).toMatchObject({
      reached: true,
      facts: { ready: true, durability: 'best-effort', pools: [{ pool: 'default', slots: 8 }] },
    });
    for (const pool of ['pool worker/default', 'pool tool-gateway/default'])
      expect(finding(during.report, pool)).toMatchObject({ reached: true, facts: { alive: true } });
    const other = await doctor(at, {
      ...servers,
      FOLDMESH_ADMISSION_DOOR_MAX: '7',
      FOLDMESH_DURABILITY: 'replicated',
    });
    expect([other.code, other.report.problems]).toEqual([
      1,
      ['MESH_SUBMIT max_msgs is 100000, wanted 7', 'durability is best-effort, and replicated is asked for'],
    ]);
  });

  it('says what a server lacks, and what is wrong with the files', { timeout }, async () => {
    await using redis = await redisServer({ memoryBytesMax: 50_000_000, policy: 'allkeys-lru' });
    await using at = await bench();
    const forgetful = await doctor(at, { REDIS_URL: redis.url });
    expect([forgetful.code, forgetful.report.problems]).toEqual([
      1,
      [
        expect.stringMatching(
          /^redis at 127\.0\.0\.1:\d+: maxmemory-policy is allkeys-lru, and must be noeviction/,
        ),
      ],
    ]);
    await at.write('foldmesh.yaml', 'worker:\n  slots: many\n');
    const broken = await doctor(at, {});
    expect([broken.code, broken.report.problems]).toEqual([
      1,
      [expect.stringMatching(/^foldmesh\.yaml:2: worker\.slots: /)],
    ]);
  });
});
