import type { Queue } from '@foldmesh/envelope';
import type { Delivery } from '@foldmesh/ports';
import type { Msg } from '@nats-io/transport-node';
import { readAckSubject } from './ack-subject.ts';
import type { Connection } from './connection.ts';
import { consumerMender } from './consumer-mender.ts';
import type { QueueConsumer } from './consumers.ts';
import { jetStreamDelivery } from './jet-stream-delivery.ts';
import { type PullInbox, pullInbox } from './pull-inbox.ts';
import { within } from './within.ts';

/** What was asked of one consumer, and what has come and was not taken yet. */
export interface PullLine {
  arrived(): number;
  /** Whether the server has said that there is nothing more at the moment, or nothing more was asked for. */
  isAll(): boolean;
  take(max: number): readonly Delivery[];
  /** Asks for what is missing to `count`, where there is a server to ask. */
  want(count: number): void;
  /** What the server had announced has gone to somebody else. */
  expectNoMore(): void;
  /** Asks anew what has not been answered, nor been said to be waiting, for too long. */
  renewIfDeaf(): void;
  /** Lets go of what was asked for; what has come and was not taken goes back at once. */
  letGo(): void;
  /** Whether nothing lies here and nothing is asked for. */
  isIdle(): boolean;
  /** Resolves when the server knows of all that was let go, or does not answer. */
  settled(): Promise<void>;
}

/** Pause after a request that the server has turned away. Milliseconds. */
const turnedAwayMs = 250;
/** What the server says of a request: its time is over, or nobody is there to answer it. */
const timeIsOver = 408;
const notThere = 503;
const consumerGone = 'Consumer Deleted';

/** `stir` is called when something has come, or has become worth another look. */
export const pullLine = (
  connection: Connection,
  queue: Queue,
  consumer: QueueConsumer,
  stir: () => void,
): PullLine => {
  const { nats, timings, settings } = connection;
  const { clock, log } = settings;
  const order = {
    subject: `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.name}`,
    expiresMs: timings.pullMs,
    heartbeatMs: timings.heartbeatMs,
  };
  const line: { readonly delivery: Delivery; readonly message: Msg }[] = [];
  const retiring = new Set<Promise<void>>();
  const mender = consumerMender(connection, queue, consumer.name, stir);
  let inbox: PullInbox | undefined;
  let more = 0;
  let heardAt = 0;
  let mayAskAt = 0;
  let said = '';

  const open = (): PullInbox =>
    pullInbox(nats, order, {
      heard: () => {
        heardAt = clock.monotonic();
      },
      take: (message) => {
        more = readAckSubject(message.reply ?? '').pending;
        line.push({ delivery: jetStreamDelivery(connection, message), message });
        stir();
      },
      ended: (status, text) => {
        // Anything else will not be better at once.
        if (status !== timeIsOver) mayAskAt = clock.monotonic() + turnedAwayMs;
        if (status === notThere || text === consumerGone) mender.mend();
        else if (status !== timeIsOver && text !== said)
          log('warn', 'a pull was turned away', { consumer: consumer.name, status, text });
        said = text;
        stir();
      },
    });

  const letGo = (): void => {
    // On a connection that has ended nothing can be said; then the server gives it to somebody else after the ack wait.
    const mayTalk = !nats.isClosed() && !nats.isDraining();
    for (const { message } of line.splice(0)) if (mayTalk) message.respond('-NAK');
    if (inbox === undefined) return;
    // Where nothing passes, the server learns of it from the end of the connection.
    const retired = within(clock, timings.requestMs, inbox.retire()).then(() => {
      retiring.delete(retired);
    });
    retiring.add(retired);
    inbox = undefined;
  };

  return {
    arrived: () => line.length,
    isAll: () => more === 0 || inbox === undefined || inbox.outstanding() === 0,
    take: (max) => line.splice(0, max).map(({ delivery }) => delivery),
    want: (count) => {
      if (!connection.isUp() || clock.monotonic() < mayAskAt) return;
      inbox ??= open();
      const missing = count - inbox.outstanding();
      if (missing <= 0) return;
      heardAt = clock.monotonic();
      inbox.ask(missing);
    },
    expectNoMore: () => {
      more = 0;
    },
    renewIfDeaf: () => {
      const silentMs = clock.monotonic() - heardAt;
      if (inbox === undefined || inbox.outstanding() === 0) return;
      if (silentMs <= 2 * timings.heartbeatMs + timings.requestMs) return;
      log('warn', 'a pull is not heard any more', { consumer: consumer.name });
      letGo();
    },
    letGo,
    isIdle: () => line.length === 0 && (inbox === undefined || inbox.outstanding() === 0),
    settled: async () => {
      await Promise.all([...retiring, mender.settled()]);
    },
  };
};
