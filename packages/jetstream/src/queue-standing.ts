import type { Queue } from '@foldmesh/envelope';
import type { Standing } from '@foldmesh/ports';
import type { ConsumerInfo, StreamInfo } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';
import { consumerOf } from './consumers.ts';
import { codeOf, codes } from './faults.ts';

/** Up to here what is not acked is counted, beyond it is what the consumer says. */
const countedMax = 10_000;

/**
 * A consumer learns a moment late of what is published, and an ack wait late of what was purged under its holders. The
 * stream knows better how much there is; who was given it, only the consumer.
 */
export const standingOf = async ({ manager }: Connection, queue: Queue): Promise<Standing> => {
  const { stream, name, filter } = consumerOf(queue);
  const info = await manager.consumers.info(stream, name).catch((error: unknown) => {
    // Nobody has ever read this queue.
    if (codeOf(error) === codes.consumerMissing) return undefined;
    throw error;
  });
  const { num_pending = 0, num_ack_pending = 0, num_waiting = 0 } = info ?? {};
  const said = num_pending + num_ack_pending;
  // Naming every subject of a long queue would cost more than the number is worth.
  const { config, state } = await manager.streams.info(
    stream,
    said > countedMax ? undefined : { subjects_filter: filter },
  );
  const unacked = said > countedMax ? said : Object.keys(state.subjects ?? {}).length;
  const in_hand = Math.min(num_ack_pending, unacked);
  const paused_until = pauseOf(info);
  const closed = closedBy(config, state);
  return {
    waiting: unacked - in_hand,
    in_hand,
    pulls: num_waiting,
    ...(paused_until !== undefined && { paused_until }),
    ...(closed !== undefined && { closed }),
    place: `${stream} ${name}`,
  };
};

/** Servers before 2.11 pause nothing, and say nothing of it. */
const pauseOf = (info: ConsumerInfo | undefined): number | undefined => {
  const until = info?.paused === true ? Date.parse(info.config.pause_until ?? '') : Number.NaN;
  return Number.isNaN(until) ? undefined : until;
};

/** Beyond it there is no room for the next message of an ordinary size. */
const fullShare = 0.999;

const closedBy = (
  { name, sealed, max_bytes, max_msgs }: StreamInfo['config'],
  { bytes, messages }: StreamInfo['state'],
): string | undefined => {
  if (sealed === true) return `${name} is sealed`;
  if (max_msgs > 0 && messages >= max_msgs) return `${name} is full: it holds ${messages} messages`;
  if (max_bytes > 0 && bytes >= max_bytes * fullShare)
    return `${name} is full: it holds ${bytes} of ${max_bytes} bytes`;
  return undefined;
};
