import { fail, fault, JobId, ok, type Result, TenantId } from '@foldmesh/envelope';
import type { JetStreamPorts } from '@foldmesh/jetstream';
import type { Clock, Log, Ports } from '@foldmesh/ports';
import type { RedisStores } from '@foldmesh/redis';
import { type Config, systemClock, systemRandom } from '@foldmesh/system';
import { type Durability, durabilitiesOf, enoughDurability } from './durability.ts';
import { claimableBus, storeWatch } from './store-watch.ts';
import { topologySettings } from './topology-settings.ts';
import { topologyWatch } from './topology-watch.ts';
import { whenAborted } from './until-signal.ts';

/** NATS and Redis, shared by the processes of one mesh. */
export interface ProductionWorld extends AsyncDisposable {
  readonly ports: Ports;
  /** What a job record says of how long an accepted job lives. */
  readonly durability: Durability;
  /** Why nothing can be done at the moment; empty when all can. */
  problems(): readonly string[];
}

export interface ProductionChoice {
  readonly config: Config;
  /** What this process is called where servers list their clients. */
  readonly name: string;
  readonly log: Log;
}

/** How often servers that are not ready yet are asked again, and how long one check of theirs may take. Milliseconds. */
const againMs = 500;
const checkMs = 2_000;

/**
 * Opens both servers, waits for them until `signal` aborts, and checks that they are what the mesh needs: a setting that
 * breaks a promise is a fault here, not a surprise later. Time is the dedup store's, by which leases are counted.
 */
export const openProduction = async (
  choice: ProductionChoice,
  signal: AbortSignal,
): Promise<Result<ProductionWorld>> => {
  const { config, log } = choice;
  const { redisStores } = await redisClient();
  const redis = redisStores({ url: config.redis.url, clock: systemClock, random: systemRandom, log });
  // One clock for all: what is stamped on arrival is compared with what hosts read.
  const clock = storeClock(() => redis.offsetMs());
  const opened = await openNats(choice, clock, signal);
  if (!opened.ok) {
    await redis[Symbol.asyncDispose]();
    return opened;
  }
  const nats = opened.value;
  const close = async (): Promise<void> => {
    await nats[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  };
  const durability = await checked(choice, nats, redis, signal);
  if (!durability.ok) {
    await close();
    return durability;
  }
  const { journal, index, blobs, dead } = nats;
  const watch = storeWatch(() => redis.problems().length > 0, systemClock);
  const bus = claimableBus(nats.bus, watch);
  const streams = topologyWatch(
    { isUp: () => nats.problems().length === 0, journal: () => journal.last(probe), topology: nats.topology },
    systemClock,
    log,
  );
  const natsProblems = (): readonly string[] => {
    const away = nats.problems();
    return away.length > 0 ? away : streams.problems();
  };
  return ok({
    ports: { bus, journal, index, blobs, dead, inbox: redis.inbox, clock, random: systemRandom, log },
    durability: durability.value,
    problems: () => [...natsProblems(), ...redis.problems()],
    [Symbol.asyncDispose]: async () => {
      await watch[Symbol.asyncDispose]();
      await streams[Symbol.asyncDispose]();
      await close();
    },
  });
};

/** Read because it is not there: no client makes a job of this id. */
const probe = { tenant: TenantId.parse('local'), job: JobId.parse('readyz') };

/** Loaded when they are needed: a job that runs in one process should not wait for clients that it has no use for. */
const natsClient = () => import('@foldmesh/jetstream');
const redisClient = () => import('@foldmesh/redis');

const openNats = async (
  { config, name, log }: ProductionChoice,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<JetStreamPorts>> => {
  const { openJetStream } = await natsClient();
  return openJetStream(
    {
      url: config.nats.url,
      name,
      clock,
      log,
      topology: topologySettings(config),
    },
    signal,
  );
};

const checked = async (
  { config, log }: ProductionChoice,
  nats: JetStreamPorts,
  redis: RedisStores,
  signal: AbortSignal,
): Promise<Result<Durability>> => {
  const { differenceText, topologyFault } = await natsClient();
  const topology = await whenAnswered(() => nats.topology(), log, signal);
  if (!topology.ok) return topology;
  const { created, differences } = topology.value;
  // Where nothing was there, nothing can tell a new mesh from one whose servers have lost everything: somebody should read this.
  if (created.length > 0) log('warn', 'streams were made', { created });
  for (const difference of differences)
    log('warn', 'a stream is not as it is wanted', { difference: differenceText(difference) });
  const broken = topologyFault(topology.value);
  if (broken !== undefined) return fail(broken);
  const store = await whenAnswered(() => redis.check(checkMs), log, signal);
  if (!store.ok) return store;
  log('info', 'the dedup store is there', { ...store.value });
  const found = await durabilitiesOf(topology.value, config.nats.monitor_url, signal);
  return enoughDurability(config.durability, found);
};

const ended = fail(fault('unavailable', 'it was told to end while it waited for its servers'));

/** A server that is not ready yet is waited for; what will not get better by itself is an answer. */
const whenAnswered = async <T>(
  ask: () => Promise<Result<T>>,
  log: Log,
  signal: AbortSignal,
): Promise<Result<T>> => {
  let said = '';
  // Whoever was told to end does not wait for an answer that may take its time.
  const over = whenAborted(signal).then(() => ended);
  for (;;) {
    const answer = await Promise.race([ask(), over]);
    if (answer.ok || answer.fault.retry_after_ms === undefined || signal.aborted) return answer;
    if (answer.fault.detail !== said) log('warn', 'waiting', { fault: answer.fault.detail });
    said = answer.fault.detail;
    await systemClock.sleep(againMs, signal);
  }
};

/** Wall clocks of hosts differ; the store has one. */
const storeClock = (offsetMs: () => number): Clock => ({
  now: () => systemClock.now() + Math.round(offsetMs()),
  monotonic: systemClock.monotonic,
  sleep: systemClock.sleep,
});
