import { AckPolicy, type Consumer, type ConsumerConfig, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { nanosOf } from './nanos.ts';

/** A consumer that is only there for one list, should its owner die meanwhile. */
const abandonedMs = 10_000;
const batchMax = 1_000;
/** The client takes no shorter one. */
const fetchMsMin = 1_000;

/** All messages of a stream on subjects of a pattern, or the last of each subject, as they are now. Never a part of them. */
export const listStream = async (
  connection: Connection,
  stream: string,
  pattern: string,
  which: 'all' | 'last',
): Promise<readonly JsMsg[]> => {
  const { manager, streams, timings } = connection;
  const wanted: Partial<ConsumerConfig> = {
    filter_subject: pattern,
    ack_policy: AckPolicy.None,
    deliver_policy: which === 'all' ? DeliverPolicy.All : DeliverPolicy.LastPerSubject,
    inactive_threshold: nanosOf(abandonedMs),
    mem_storage: true,
    num_replicas: 1,
  };
  const made = await manager.consumers.add(stream, wanted);
  try {
    return await listWith(streams.consumers.getConsumerFromInfo(made), made.num_pending, timings.requestMs);
  } finally {
    await manager.consumers.delete(stream, made.name).catch(() => undefined); // it ends by itself
  }
};

const listWith = async (consumer: Consumer, count: number, requestMs: number): Promise<readonly JsMsg[]> => {
  const all: JsMsg[] = [];
  while (all.length < count) {
    const before = all.length;
    const batch = await consumer.fetch({
      max_messages: Math.min(batchMax, count - before),
      expires: Math.max(fetchMsMin, requestMs),
    });
    for await (const message of batch) {
      all.push(message);
      // What was on its way when a link broke counts as delivered, and nobody acks here: the gap is all that tells of it.
      if (message.info.deliverySequence !== all.length) throw new errors.TimeoutError();
    }
    // Silence would have thrown: the server says that nothing is left, so the rest was replaced or purged meanwhile.
    if (all.length === before) break;
  }
  return all;
};
