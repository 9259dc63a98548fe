import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { nanosOf } from './nanos.ts';

/** Requests to one consumer for messages, and what they bring. The server remembers a request for as long as we listen. */
export interface PullInbox {
  /** Messages that have been asked for and have not come. */
  outstanding(): number;
  ask(count: number): void;
  /** Hears nothing more; what is already on its way is given back. Resolves when the server has been told. */
  retire(): Promise<void>;
}

export interface PullHearing {
  readonly take: (message: Msg) => void;
  /** A request has ended without all that it asked for: `text` says why. */
  readonly ended: (status: number, text: string) => void;
  readonly heard: () => void;
}

interface PullOrder {
  readonly subject: string;
  readonly expiresMs: number;
  readonly heartbeatMs: number;
}

const idleHeartbeat = 100;
/** How much of what it asked for a request has not brought. */
const leftHeader = 'Nats-Pending-Messages';
const giveBack = new TextEncoder().encode('-NAK');

export const pullInbox = (nats: NatsConnection, order: PullOrder, hearing: PullHearing): PullInbox => {
  const root = createInbox();
  /** How many each request asked for. A message comes under its own subject and does not say whose request it answers. */
  const requests = new Map<string, number>();
  let asked = 0;
  let outstanding = 0;
  let retired = false;

  const end = (message: Msg, status: number): void => {
    const left = Number(message.headers?.get(leftHeader) || (requests.get(message.subject) ?? 0));
    requests.delete(message.subject);
    outstanding = Math.max(0, outstanding - left);
    // One that has brought all that was asked is said to be complete, too: that is no news.
    if (left > 0) hearing.ended(status, message.headers?.description ?? '');
  };

  const hear = (message: Msg): void => {
    const status = statusOf(message);
    if (retired) {
      // It was sent before the server knew that nobody waits any more: somebody else shall have it now, not after the ack wait.
      if (status === undefined) message.respond(giveBack);
      return;
    }
    hearing.heard();
    if (status === idleHeartbeat) return;
    if (status !== undefined) {
      end(message, status);
      return;
    }
    outstanding = Math.max(0, outstanding - 1);
    if (outstanding === 0) requests.clear();
    hearing.take(message);
  };

  const subscription: Subscription = nats.subscribe(`${root}.*`, {
    callback: (error, message) => {
      if (error === null) hear(message);
    },
  });

  return {
    outstanding: () => outstanding,
    ask: (count) => {
      asked += 1;
      outstanding += count;
      const reply = `${root}.${asked}`;
      requests.set(reply, count);
      const body = {
        batch: count,
        expires: nanosOf(order.expiresMs),
        idle_heartbeat: nanosOf(order.heartbeatMs),
      };
      nats.publish(order.subject, JSON.stringify(body), { reply });
    },
    retire: async () => {
      retired = true;
      if (!subscription.isClosed() && !nats.isClosed()) await subscription.drain();
    },
  };
};

/** The code of a message that carries no content but a word of the server. */
const statusOf = ({ headers, data }: Msg): number | undefined =>
  data.length === 0 && headers !== undefined && headers.code > 0 ? headers.code : undefined;
