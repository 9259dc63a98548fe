import { consumedBy, fail, fault, ok, type Queue, type Result } from '@foldmesh/envelope';
import { AckPolicy, type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';
import { codeOf, codes } from './faults.ts';
import { nanosOf } from './nanos.ts';
import { defaultTopology, retryAfterMs } from './settings.ts';
import { streamNames } from './streams.ts';

/** A durable consumer: one for each stream, pool and lane, shared by all processes of the pool. */
export interface QueueConsumer {
  readonly stream: string;
  readonly name: string;
  readonly filter: string;
}

/** No service and no lane has an underscore, so no two queues have one name. */
export const consumerOf = (queue: Queue): QueueConsumer => ({
  stream: queue.lane === 'submit' ? streamNames.submit : streamNames.work,
  name: `${queue.service}_${queue.pool}_${queue.lane}`,
  filter: consumedBy(queue),
});

const pullsMax = 4_096;

/**
 * Makes it where it is missing. The broker's own limits on deliveries and on what is pending are off: its count includes
 * hand-backs and forgets after a kill, and strikes are counted where a claim takes over.
 */
export const ensureConsumer = async (
  connection: Connection,
  queue: Queue,
): Promise<Result<QueueConsumer>> => {
  const consumer = consumerOf(queue);
  const { ackWaitMs } = { ...defaultTopology, ...connection.settings.topology };
  const wanted: Partial<ConsumerConfig> = {
    durable_name: consumer.name,
    filter_subject: consumer.filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanosOf(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: -1,
    max_waiting: pullsMax,
  };
  const found = await addOrFind(connection, consumer, wanted);
  if (found === undefined)
    return fail(
      fault('unavailable', `the stream ${consumer.stream} is missing`, {
        source: 'nats-consumers',
        retry_after_ms: retryAfterMs,
      }),
    );
  // It is ours alone and holds nothing: its ack wait has to be that of the hosts, or they beat too late to keep a message.
  if (found.config.ack_wait !== wanted.ack_wait) {
    await connection.manager.consumers.update(consumer.stream, consumer.name, {
      ack_wait: nanosOf(ackWaitMs),
    });
    connection.settings.log('info', 'a consumer got another ack wait', {
      consumer: consumer.name,
      ackWaitMs,
    });
    found.config.ack_wait = nanosOf(ackWaitMs);
  }
  for (const [setting, value] of Object.entries(wanted)) {
    const is = (found.config as unknown as Record<string, unknown>)[setting]; // compared by name, whatever else there is
    if (String(is) !== String(value))
      connection.settings.log('warn', 'a consumer is not as it is wanted', {
        consumer: consumer.name,
        setting,
        wanted: String(value),
        found: String(is),
      });
  }
  return ok(consumer);
};

/** The same again is answered with what there is; one that somebody has set otherwise is left as it is. Undefined without its stream. */
const addOrFind = async (
  { manager }: Connection,
  { stream, name }: QueueConsumer,
  wanted: Partial<ConsumerConfig>,
) => {
  try {
    return await manager.consumers.add(stream, wanted);
  } catch (error) {
    const code = codeOf(error);
    if (code === codes.streamMissing) return undefined;
    if (code !== codes.consumerExists) throw error;
    return await manager.consumers.info(stream, name);
  }
};
