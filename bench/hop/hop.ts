import { join } from 'node:path';
import { type JetStreamPorts, openJetStream } from '@foldmesh/jetstream';
import { type Connection, consumerOf, streamNames } from '@foldmesh/jetstream/internal';
import { systemClock } from '@foldmesh/system';
import { type NatsServer, natsServer, type RedisServer, redisServer } from '@foldmesh/testbed';
import type { Extent } from '../extent.ts';
import { type CommandedChild, commandedChild } from '../measure/commanded-child.ts';
import { cpuDuring } from '../measure/process-cpu.ts';
import { quantile } from '../measure/spread.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { rawConnection } from './bare-hop.ts';
import type { Drained, HopGiven, HopKind } from './hop-child.ts';
import {
  answerSubject,
  bareConsumer,
  bareStream,
  bareSubject,
  benchPool,
  hopMessage,
} from './hop-messages.ts';

/** One round of one hop. Times in milliseconds, processor times in microseconds for each message. */
export interface HopRound {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuUs: Readonly<Record<string, number>>;
}

interface HopContender {
  readonly name: HopKind;
  readonly child: CommandedChild;
}

interface Bench {
  readonly nats: NatsServer;
  readonly redis: RedisServer;
  readonly raw: Connection;
  readonly ours: JetStreamPorts;
}

const kinds: readonly HopKind[] = ['ours', 'bare', 'bare, ack answered'];
const queue = { service: 'tool-gateway', pool: benchPool, lane: 'call' } as const;
const perJob = 100;
const publishesMax = 256;
const streamsOf = { ours: streamNames.work, bare: bareStream } as const;

export const measureHop = async (extent: Extent): Promise<ReadonlyMap<string, readonly HopRound[]>> => {
  await using opened = new AsyncDisposableStack();
  const nats = opened.use(await natsServer());
  const redis = opened.use(await redisServer({ appendonly: 'everysec' }));
  const ours = opened.use(await openOurs(nats.url));
  const raw = opened.use(await rawConnection(nats.url, 'bench'));
  const bench: Bench = { nats, redis, raw, ours };
  await makeStreams(bench);
  const contenders: HopContender[] = [];
  for (const name of kinds.filter((kind) => kind.includes(extent.match))) {
    const given: HopGiven = { kind: name, nats: nats.url, redis: redis.url, slots: extent.hop.slots };
    const file = join(import.meta.dirname, 'hop-child.ts');
    contenders.push({
      name,
      child: opened.use(await commandedChild(name, file, given, extent.nodeArguments)),
    });
  }
  return await takeTurns(
    contenders,
    extent.rounds,
    (one, round) => hopRound(bench, one, round, extent),
    extent.say,
  );
};

const openOurs = async (url: string): Promise<JetStreamPorts> => {
  const opened = await openJetStream(
    { url, name: 'bench', clock: systemClock, log: () => undefined },
    AbortSignal.timeout(20_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  const topology = await opened.value.topology();
  if (!topology.ok) throw new Error(topology.fault.detail);
  return opened.value;
};

/** The bare hop gets a stream and a consumer that differ from ours in their names alone. */
const makeStreams = async ({ ours, raw }: Bench): Promise<void> => {
  const subscription = await ours.bus.subscribe(queue);
  if (!subscription.ok) throw new Error(subscription.fault.detail);
  await subscription.value[Symbol.asyncDispose]();
  const { stream, name } = consumerOf(queue);
  const { config } = await raw.manager.streams.info(stream);
  await raw.manager.streams.add({ ...config, name: bareStream, subjects: config.subjects.map(bareSubject) });
  const { config: consumer } = await raw.manager.consumers.info(stream, name);
  await raw.manager.consumers.add(bareStream, {
    ...consumer,
    name: bareConsumer,
    durable_name: bareConsumer,
    filter_subject: bareSubject(consumer.filter_subject ?? ''),
  });
};

const hopRound = async (
  bench: Bench,
  { name, child }: HopContender,
  round: number,
  { hop: { messages, slowMessages, slowPerSecond } }: Extent,
): Promise<HopRound> => {
  const isOurs = name === 'ours';
  const word = `${name.length}-${round}`;
  await preload(bench, isOurs, word, messages);
  const pids = { nats: bench.nats.pid, ...(isOurs && { redis: bench.redis.pid }) };
  const { value, cpuUs } = await cpuDuring(
    pids,
    async () => (await child.ask('drain', { count: messages })) as Drained,
  ); // as the child answers
  await purge(bench, isOurs);
  const servers = Object.entries(cpuUs).map(([server, us]) => [server, us / messages] as const);
  const waits = await latencies(bench, child, isOurs, `slow-${word}`, slowMessages, slowPerSecond);
  await purge(bench, isOurs);
  return {
    perSecond: messages / (value.ms / 1_000),
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    cpuUs: { host: value.cpuUs, ...Object.fromEntries(servers) },
  };
};

const purge = async ({ raw }: Bench, isOurs: boolean): Promise<void> => {
  await raw.manager.streams.purge(isOurs ? streamsOf.ours : streamsOf.bare);
};

const publish = async (
  { ours, raw }: Bench,
  isOurs: boolean,
  job: string,
  index: number,
): Promise<string> => {
  const message = hopMessage(job, index);
  const subject = isOurs ? message.subject : bareSubject(message.subject);
  if (isOurs) {
    const stored = await ours.bus.publish(message);
    if (!stored.ok) throw new Error(stored.fault.detail);
  } else await raw.streams.publish(subject, message.body);
  return answerSubject(subject);
};

/** All lie there before the first is taken, so that who publishes them takes nothing from who is measured. */
const preload = async (bench: Bench, isOurs: boolean, word: string, count: number): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++)
      await publish(bench, isOurs, `hop-${word}-${Math.floor(index / perJob)}`, index);
  };
  await Promise.all(Array.from({ length: publishesMax }, lane));
};

/** From the moment before a request is published until its answer is seen, at a load that leaves the hop idle. */
const latencies = async (
  bench: Bench,
  child: CommandedChild,
  isOurs: boolean,
  job: string,
  count: number,
  perSecond: number,
): Promise<readonly number[]> => {
  const waiting = new Map<string, (at: number) => void>();
  const all = answerSubject(`mesh.v1.*.work.tool-gateway.${benchPool}.call.>`);
  const seen = bench.raw.nats.subscribe(isOurs ? all : bareSubject(all), {
    callback: (_, { subject }) => waiting.get(subject)?.(systemClock.monotonic()),
  });
  await child.ask('serve');
  const waits: Promise<number>[] = [];
  for (let index = 0; index < count; index++) {
    const message = answerSubject(hopMessage(job, index).subject);
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.set(isOurs ? message : bareSubject(message), resolve);
    const begun = systemClock.monotonic();
    waits.push(promise.then((at) => at - begun));
    await publish(bench, isOurs, job, index);
    await systemClock.sleep(Math.max(0, begun + 1_000 / perSecond - systemClock.monotonic()));
  }
  const waited = await Promise.all(waits);
  await child.ask('rest');
  seen.unsubscribe();
  return waited;
};
