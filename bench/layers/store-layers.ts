import { digestOf, encodeJson, type JobId, keyOf, TaskId, wireIdOf } from '@foldmesh/envelope';
import type { Inbox, Journal } from '@foldmesh/ports';
import { redisStores } from '@foldmesh/redis';
import { systemClock, systemRandom } from '@foldmesh/system';
import { type NatsServer, natsServer, type RedisServer, redisServer } from '@foldmesh/testbed';
import { awaited, inLanes } from '../measure/call-cost.ts';
import { benchTenant, busDoor } from '../mesh/bus-door.ts';
import { redisInfo, streamsOf } from '../mesh/mesh-counts.ts';
import type { Layer } from './layer.ts';

export interface StoreLayers extends AsyncDisposable {
  readonly layers: readonly Layer[];
}

/** Asked at once, as a host with so many slots does. */
const lanes = 64;
const weighed = 500;
const print = digestOf(encodeJson('what is asked'));

/** The two transitions that every piece of work pays for, and the append that every turn does, on real servers. */
export const storeLayers = async (): Promise<StoreLayers> => {
  await using opened = new AsyncDisposableStack();
  const nats = opened.use(await natsServer());
  const redis = opened.use(await redisServer());
  const door = opened.use(await busDoor(nats.url));
  const topology = await door.ports.topology();
  if (!topology.ok) throw new Error(topology.fault.detail);
  const stores = opened.use(
    redisStores({ url: redis.url, clock: systemClock, random: systemRandom, log: () => undefined }),
  );
  const checked = await stores.check(20_000);
  if (!checked.ok) throw new Error(checked.fault.detail);
  const claim = claiming(stores.inbox);
  const append = appending(door.ports.journal);
  const held = opened.move();
  return {
    layers: [
      {
        name: 'claim and complete, one after the other',
        times: awaited(claim),
        weight: { of: 'memory of Redis', bytes: () => growth(() => redisBytes(redis), claim) },
      },
      { name: `claim and complete, ${lanes} at once`, times: inLanes(lanes, claim) },
      {
        name: 'append, one after the other',
        times: awaited(append),
        weight: { of: 'stream', bytes: () => growth(() => journalBytes(nats), append) },
      },
      { name: `append, ${lanes} at once`, times: inLanes(lanes, append) },
    ],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
};

/** Each a piece of work of its own: claimed, completed with a small outcome. */
const claiming = (inbox: Inbox) => {
  const job = `j-${systemRandom.hex(16)}` as JobId; // a token
  let next = 0;
  return async (): Promise<void> => {
    next += 1;
    const task = TaskId.parse(`t${next}`);
    const id = {
      type: 'tool.call',
      key: keyOf({ tenant: benchTenant, job, task, round: 1, step: '0', call: '0' }),
    } as const;
    const owner = systemRandom.hex(8);
    const won = await inbox.claim({ ...id, print, owner, leaseMs: 6_000, label: 'bench.echo' });
    if (!won.ok || won.value.kind !== 'won') throw new Error(`no claim: ${JSON.stringify(won)}`);
    const { token } = won.value;
    const stored = { outcome: { kind: 'done', output: { value: { at: next } } } } as const;
    const grip = await inbox.complete({ ...id, token }, stored, systemClock.now() + 3_600_000);
    if (!grip.ok || grip.value !== 'held') throw new Error(`not completed: ${JSON.stringify(grip)}`);
  };
};

/** About as long as the entry of a turn that takes one answer in. */
const entryBytes = 1_024;

/** Each lane appends to a job of its own, one entry after the other, under the lock of the expected sequence. */
const appending = (journal: Journal) => {
  const jobs = new Map<number, { readonly job: JobId; seq: number }>();
  const entry = encodeJson({ text: 'x'.repeat(entryBytes - '{"text":""}'.length) });
  return async (lane: number): Promise<void> => {
    const of = jobs.get(lane) ?? { job: `j-${systemRandom.hex(16)}` as JobId, seq: 0 }; // a token
    jobs.set(lane, of);
    const entity = { tenant: benchTenant, job: of.job };
    const id = wireIdOf('entry', of.job, of.seq + 1, 0);
    const stored = await journal.append({ entity, entry, expected: of.seq, id });
    if (!stored.ok || stored.value.kind !== 'stored') throw new Error(`no append: ${JSON.stringify(stored)}`);
    of.seq = stored.value.seq;
  };
};

/** By how much a server grows with one call. */
const growth = async (
  bytes: () => Promise<number>,
  call: (lane: number) => Promise<void>,
): Promise<number> => {
  const before = await bytes();
  for (let time = 0; time < weighed; time++) await call(0);
  return ((await bytes()) - before) / weighed;
};

const redisBytes = async ({ port }: RedisServer): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await redisInfo(port, 'memory'))?.[1]);

const journalBytes = async ({ monitorUrl }: NatsServer): Promise<number> =>
  (await streamsOf(monitorUrl)).find(({ name }) => name === 'MESH_JOURNAL')?.state.bytes ?? Number.NaN;
