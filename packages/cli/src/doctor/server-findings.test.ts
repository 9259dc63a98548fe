import { Instant } from '@foldmesh/envelope';
import type { Setting } from '@foldmesh/system';
import type { ServerReport } from '@foldmesh/worlds';
import { expect, it } from 'vitest';
import { serverFindings } from './server-findings.ts';

const now = 1_000_000;
const away: ServerReport['redis'] = {
  ok: false,
  fault: { kind: 'unavailable', detail: 'redis at 127.0.0.1:6379: not connected' },
};
const nothing: ServerReport = {
  nats: { ok: false, fault: { kind: 'unavailable', detail: 'not reachable' } },
  redis: away,
};
const founded = (more: object = {}): ServerReport => ({
  nats: {
    ok: true,
    value: {
      version: '2.12.0',
      missing: [],
      present: 8,
      differences: [],
      replicas: 1,
      pools: [],
      durability: ['best-effort'],
      ...more,
    },
  },
  redis: away,
});

const settings = (from: string): readonly Setting[] => [
  { name: 'nats.url', value: 'nats://127.0.0.1:4222', from },
  { name: 'redis.url', value: 'redis://127.0.0.1:6379', from },
];

const problems = (report: ServerReport, { isServed = false, from = 'default' } = {}): readonly string[] =>
  serverFindings(report, settings(from), { durability: 'best-effort' }, { isServed, now }).flatMap(
    (finding) => finding.problems,
  );

it('misses no server that nobody named, and any that was', () => {
  expect(problems(nothing)).toEqual([]);
  expect(problems(nothing, { from: 'NATS_URL' })).toHaveLength(2);
});

it('misses the servers of a mesh that answers here, whoever named them', () => {
  expect(problems(nothing, { isServed: true })).toEqual([
    'NATS at nats://127.0.0.1:4222: not reachable',
    'redis at 127.0.0.1:6379: not connected',
  ]);
});

it('misses the other store where NATS has the streams of a mesh, and streams that are gone', () => {
  expect(problems(founded())).toEqual(['redis at 127.0.0.1:6379: not connected']);
  expect(problems(founded({ missing: ['MESH_JOURNAL'], present: 7 }))).toContain(
    'MESH_JOURNAL is missing, and others of this mesh are there',
  );
  expect(problems(founded({ missing: ['MESH_JOURNAL', 'MESH_WORK'], present: 0 }))).toEqual([]);
});

it('says of a pool that nobody of it is alive, whoever named the server', () => {
  const silent = { service: 'worker', pool: 'default', at: Instant.parse(now - 60_000) };
  const alive = { service: 'tool-gateway', pool: 'default', at: Instant.parse(now) };
  expect(problems(founded({ pools: [silent, alive] }))).toEqual([
    'redis at 127.0.0.1:6379: not connected',
    'nobody of the pool default of worker has said anything for 1 min 0 s: its work waits',
  ]);
});
