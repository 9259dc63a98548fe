import {
  fail,
  fault,
  type JobId,
  ok,
  queueOf,
  type Result,
  type Sealed,
  type TenantId,
  writeHeaders,
} from '@foldmesh/envelope';
import type { Bus, Filled } from '@foldmesh/ports';
import { asking, type Connection } from './connection.ts';
import { ensureConsumer } from './consumers.ts';
import { faultFrom } from './faults.ts';
import { lastOn } from './leader-read.ts';
import { ownBytes } from './own-bytes.ts';
import { store } from './publish.ts';
import { pullSubscription } from './pull-subscription.ts';
import { standingOf } from './queue-standing.ts';
import { streamNames } from './streams.ts';

const source = 'nats-bus';

/** The bus: two work queues, and core subjects beside them. */
export const jetStreamBus = (connection: Connection): Bus => {
  const ask = asking(connection, source);
  const { nats, settings } = connection;
  const { log } = settings;
  return {
    publish: (message) => {
      const own = { ...message, body: ownBytes(message.body) };
      return ask(() => publish(connection, own));
    },
    subscribe: (queue) =>
      ask(async () => {
        const consumer = await ensureConsumer(connection, queue);
        return consumer.ok ? ok(pullSubscription(connection, queue, consumer.value)) : consumer;
      }),
    standing: (queue) => ask(async () => ok(await standingOf(connection, queue))),
    purge: (tenant, job) => ask(async () => ok(await purge(connection, tenant, job))),
    filled: () => ask(async () => ok(await filled(connection))),
    cast: (subject, body) => {
      if (!connection.isUp()) return;
      try {
        nats.publish(subject, ownBytes(body));
      } catch (error) {
        // Too large, or to a subject that is none: it is lost like any other.
        log('debug', 'a core message was not sent', { subject, fault: faultFrom(error, source).detail });
      }
    },
    listen: (subject, hear) => {
      let over = false;
      const subscription = nats.subscribe(subject, {
        callback: (error, message) => {
          if (error === null && !over) hear(ownBytes(message.data), message.subject);
        },
      });
      return {
        [Symbol.asyncDispose]: async () => {
          over = true;
          subscription.unsubscribe();
        },
      };
    },
  };
};

const publish = async (
  connection: Connection,
  { subject, headers, body }: Sealed,
): Promise<Result<{ readonly duplicate: boolean }>> => {
  const message = { subject, body, headers: writeHeaders(headers) };
  // Twice: between the refusal and the look at its subject the message that lay there may have been acked.
  for (let left = 2; left > 0; left--) {
    const stored = await store(connection, message);
    if (!stored.ok) return stored;
    if (stored.value.kind === 'stored') return ok({ duplicate: stored.value.duplicate });
    if ((await lastOn(connection, streamOf(subject), subject)) !== null) return ok({ duplicate: true });
  }
  return fail(
    fault('throttled', `${streamOf(subject)} takes no more messages`, { source, retry_after_ms: 1_000 }),
  );
};

const streamOf = (subject: string): string =>
  queueOf(subject)?.lane === 'submit' ? streamNames.submit : streamNames.work;

const handlers = ['worker', 'tool-gateway', 'memory'] as const;

/** Service by service: the manager's own orders for a job stay. */
const purge = async ({ manager }: Connection, tenant: TenantId, job: JobId): Promise<number> => {
  let purged = 0;
  for (const service of handlers) {
    const answer = await manager.streams.purge(streamNames.work, {
      filter: `mesh.v1.${tenant}.work.${service}.*.call.${job}.>`,
    });
    purged += answer.purged;
  }
  return purged;
};

/** Streams that work needs room in. */
const needed = [streamNames.work, streamNames.journal, streamNames.blobs, streamNames.index] as const;

const filled = async ({ manager }: Connection): Promise<Filled> => {
  const [{ storage, limits }, ...streams] = await Promise.all([
    manager.getAccountInfo(),
    ...needed.map((name) => manager.streams.info(name)),
  ]);
  const all: Filled[] = [];
  for (const { config, state } of streams) {
    const { name } = config;
    if (config.sealed) all.push({ share: 1, of: `${name} (sealed)` });
    if (config.max_bytes > 0) all.push({ share: state.bytes / config.max_bytes, of: name });
    if (config.max_msgs > 0) all.push({ share: state.messages / config.max_msgs, of: name });
  }
  if (limits.max_storage > 0)
    all.push({ share: storage / limits.max_storage, of: 'the storage of the account' });
  return all.reduce((fullest, one) => (one.share > fullest.share ? one : fullest), {
    share: 0,
    of: streamNames.journal,
  });
};
