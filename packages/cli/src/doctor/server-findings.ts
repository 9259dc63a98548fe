import type { Config, Setting } from '@foldmesh/system';
import type { NatsReport, PoolReport, ServerReport } from '@foldmesh/worlds';
import { durationText } from '../live/row-text.ts';
import { away, type Finding, unlessNeeded } from './findings.ts';

/** By how much two clocks may differ before somebody should look at them, and how long a pool may be silent. Milliseconds. */
const skewMsMax = 2_000;
const silentMsMax = 20_000;

interface Around {
  /** An API of this host answers for a mesh that keeps what it has in servers. */
  readonly isServed: boolean;
  /** This host's time, milliseconds UTC. */
  readonly now: number;
}

/** What NATS and Redis are like, and the pools that work there. Streams of ours make a mesh, which needs both. */
export const serverFindings = (
  { nats, redis }: ServerReport,
  settings: readonly Setting[],
  config: Pick<Config, 'durability'>,
  { isServed, now }: Around,
): readonly Finding[] => {
  const [natsAt, redisAt] = [settingOf(settings, 'nats.url'), settingOf(settings, 'redis.url')];
  const isMesh = isServed || (nats.ok && isFounded(nats.value));
  const offsetMs = redis.ok ? redis.value.offset_ms : 0;
  return [
    unlessNeeded(
      nats.ok
        ? natsFinding(nats.value, natsAt.where, config)
        : away('nats', natsAt.where, `NATS at ${natsAt.where}: ${nats.fault.detail}`),
      natsAt.isNamed || isMesh,
    ),
    unlessNeeded(
      redis.ok
        ? redisFinding(redis.value, redisAt.where)
        : away('redis', redisAt.where, named('redis', redisAt.where, redis.fault.detail)),
      redisAt.isNamed || isMesh,
    ),
    ...(nats.ok ? nats.value.pools : []).map((pool) => poolFinding(pool, natsAt.where, now + offsetMs)),
  ];
};

/** None of our streams is a mesh that has not been started yet: whoever comes first makes them. */
const isFounded = ({ present }: NatsReport): boolean => present > 0;

const settingOf = (settings: readonly Setting[], name: string) => {
  const setting = settings.find((one) => one.name === name);
  return {
    where: String(setting?.value ?? ''),
    isNamed: setting !== undefined && setting.from !== 'default',
  };
};

/** The store's own sentences have its address in front. */
const named = (what: string, where: string, detail: string): string =>
  detail.startsWith(what) ? detail : `${what} at ${where}: ${detail}`;

const natsFinding = (
  report: NatsReport,
  where: string,
  { durability: wanted }: Pick<Config, 'durability'>,
): Finding => {
  const { version, missing, differences, replicas, durability } = report;
  const [best = 'best-effort'] = durability;
  return {
    what: 'nats',
    where,
    reached: true,
    facts: {
      version,
      jetstream: true,
      streams_missing: [...missing],
      differences: differences.map(({ stream, setting, wanted: want, found, essential }) => ({
        stream,
        setting,
        wanted: want,
        found,
        essential,
      })),
      replicas,
      durability: best,
    },
    problems: [
      ...(isFounded(report)
        ? missing.map((stream) => `${stream} is missing, and others of this mesh are there`)
        : []),
      ...differences.map(
        ({ stream, setting, wanted: want, found }) => `${stream} ${setting} is ${found}, wanted ${want}`,
      ),
      ...(durability.includes(wanted) ? [] : [`durability is ${best}, and ${wanted} is asked for`]),
    ],
  };
};

type Redis = Extract<ServerReport['redis'], { ok: true }>['value'];

const redisFinding = (report: Redis, where: string): Finding => {
  const { server, version, role, policy, durability, evictedKeys, offset_ms } = report;
  return {
    what: 'redis',
    where,
    reached: true,
    facts: {
      server,
      version,
      role,
      policy,
      durability,
      evicted_keys: evictedKeys,
      clock_offset_ms: offset_ms,
    },
    problems: [
      ...(evictedKeys > 0 ? [`redis at ${where} has evicted ${evictedKeys} keys: records are missing`] : []),
      ...(Math.abs(offset_ms) > skewMsMax
        ? [
            `the clock of redis at ${where} is ${durationText(Math.abs(offset_ms))} ${offset_ms > 0 ? 'ahead of' : 'behind'} this host's`,
          ]
        : []),
    ],
  };
};

const poolFinding = ({ service, pool, at }: PoolReport, where: string, now: number): Finding => {
  const silentMs = Math.max(0, now - at);
  const isAlive = silentMs <= silentMsMax;
  return {
    what: `pool ${service}/${pool}`,
    where,
    reached: isAlive,
    facts: { alive: isAlive, silent_ms: silentMs },
    problems: isAlive
      ? []
      : [
          `nobody of the pool ${pool} of ${service} has said anything for ${durationText(silentMs)}: its work waits`,
        ],
  };
};
