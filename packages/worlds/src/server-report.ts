import { catalogueRoot, Instant, isJsonObject, type Json, ok, type Result } from '@foldmesh/envelope';
import type { JetStreamPorts, StreamReport } from '@foldmesh/jetstream';
import type { Log } from '@foldmesh/ports';
import type { RedisReport } from '@foldmesh/redis';
import { type Config, systemClock, systemRandom } from '@foldmesh/system';
import { type Durability, durabilitiesOf } from './durability.ts';
import { topologySettings } from './topology-settings.ts';

/** A pool, and when one of its processes last said what it offers. Milliseconds UTC. */
export interface PoolReport {
  readonly service: string;
  readonly pool: string;
  readonly at: Instant;
}

export interface NatsReport extends StreamReport {
  readonly pools: readonly PoolReport[];
  /** What an accepted job survives, the strongest first. */
  readonly durability: readonly Durability[];
}

export interface ServerReport {
  readonly nats: Result<NatsReport>;
  /** With the milliseconds by which its clock is ahead of this host's. */
  readonly redis: Result<RedisReport & { readonly offset_ms: number }>;
}

const silent: Log = () => undefined;
/** How long a server may take to be there. Milliseconds. */
const waitMs = 2_000;

/** Looks at both servers side by side and changes nothing: no stream is made, nothing waits for a server that is away. */
export const serverReport = async (config: Config): Promise<ServerReport> => {
  const [nats, redis] = await Promise.all([natsReport(config), redisReport(config)]);
  return { nats, redis };
};

const natsReport = async (config: Config): Promise<Result<NatsReport>> => {
  const { openJetStream } = await import('@foldmesh/jetstream');
  const over = new AbortController();
  const late = systemClock.sleep(waitMs, over.signal).then(() => over.abort());
  const settings = {
    url: config.nats.url,
    name: 'foldmesh-doctor',
    clock: systemClock,
    log: silent,
    topology: topologySettings(config),
  };
  const opened = await openJetStream(settings, over.signal);
  over.abort();
  await late;
  if (!opened.ok) return opened;
  await using nats = opened.value;
  const streams = await nats.report();
  if (!streams.ok) return streams;
  const pools = streams.value.missing.length > 0 ? ok([]) : await poolsOf(nats);
  if (!pools.ok) return pools;
  const durability = await durabilitiesOf(
    streams.value,
    config.nats.monitor_url,
    new AbortController().signal,
  );
  return ok({ ...streams.value, pools: pools.value, durability });
};

/** Of each pool its last word, whichever build of it said that. */
const poolsOf = async ({ index }: JetStreamPorts): Promise<Result<readonly PoolReport[]>> => {
  const listed = await index.list(catalogueRoot);
  if (!listed.ok) return listed;
  const last = new Map<string, PoolReport>();
  for (const { subject, value } of listed.value) {
    const [service = '', pool = ''] = subject.slice(catalogueRoot.length).split('.');
    const name = `${service} ${pool}`;
    const at = saidAt(value);
    if (at !== undefined && (last.get(name)?.at ?? -1) < at) last.set(name, { service, pool, at });
  }
  return ok([...last.values()]);
};

const saidAt = (value: Json): Instant | undefined =>
  isJsonObject(value) ? Instant.safeParse(value['at']).data : undefined;

const redisReport = async (config: Config): Promise<ServerReport['redis']> => {
  const { redisStores } = await import('@foldmesh/redis');
  const url = config.redis.url;
  await using redis = redisStores({ url, clock: systemClock, random: systemRandom, log: silent });
  const report = await redis.check(waitMs);
  return report.ok ? ok({ ...report.value, offset_ms: redis.offsetMs() }) : report;
};
