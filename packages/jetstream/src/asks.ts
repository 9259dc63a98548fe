import { JetStreamApiError } from '@nats-io/jetstream';
import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { JetStreamSettings } from './settings.ts';

/**
 * Requests over one inbox, each of which is answered or given up after the same time. The client's own keep a timer each,
 * and make an exception with its stack where they are answered, too: that is felt where each message is three of them.
 */
export interface Asks {
  /** Rejects as the client does: no responders, a timeout, a word that the server does not allow. The body is not copied. */
  ask(subject: string, body: Uint8Array, headers?: MsgHdrs): Promise<Msg>;
  /** An answer of JetStream as JSON of that shape; rejects with a `JetStreamApiError` where it is one. */
  askJetStream<T>(subject: string, body: Uint8Array, headers?: MsgHdrs): Promise<T>;
  /** The server has said that it does not let us do something; whoever waits for that hears of it. */
  forbidden(error: Forbidden): void;
  close(): void;
}

export type Forbidden = InstanceType<typeof errors.PermissionViolationError>;

interface Waiting {
  readonly subject: string;
  readonly until: number;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (error: Error) => void;
}

const noResponders = 503;

export const asksOver = (
  nats: NatsConnection,
  { clock }: Pick<JetStreamSettings, 'clock'>,
  requestMs: number,
): Asks => {
  const root = createInbox();
  /** In the order in which they were asked, which is that in which they are given up. */
  const waiting = new Map<string, Waiting>();
  const closed = new AbortController();
  let asked = 0;
  let isWatched = false;

  const taken = (token: string): Waiting | undefined => {
    const one = waiting.get(token);
    waiting.delete(token);
    return one;
  };
  const rejectAll = (error: Error): void => {
    for (const token of [...waiting.keys()]) taken(token)?.reject(error);
  };
  const watch = async (): Promise<void> => {
    isWatched = true;
    for (let [first] = waiting.values(); first !== undefined; [first] = waiting.values()) {
      await clock.sleep(Math.max(0, first.until - clock.monotonic()), closed.signal);
      const now = clock.monotonic();
      for (const [token, { until }] of waiting) {
        if (until > now) break;
        taken(token)?.reject(new errors.TimeoutError());
      }
    }
    isWatched = false;
  };

  nats.subscribe(`${root}.*`, {
    callback: (error, answer) => {
      if (error !== null) return;
      const one = taken(answer.subject.slice(root.length + 1));
      if (answer.data.length === 0 && answer.headers?.code === noResponders)
        one?.reject(new errors.NoRespondersError(one.subject));
      else one?.resolve(answer);
    },
  });

  const ask = (subject: string, body: Uint8Array, headers?: MsgHdrs): Promise<Msg> => {
    const { promise, resolve, reject } = Promise.withResolvers<Msg>();
    asked += 1;
    const token = String(asked);
    nats.publish(subject, body, { reply: `${root}.${token}`, ...(headers !== undefined && { headers }) });
    waiting.set(token, { subject, until: clock.monotonic() + requestMs, resolve, reject });
    if (!isWatched) void watch();
    return promise;
  };

  return {
    ask,
    askJetStream: async <T>(subject: string, body: Uint8Array, headers?: MsgHdrs) => {
      const { error, ...answer } = (await ask(subject, body, headers)).json<Answer<T>>();
      if (error !== undefined) throw new JetStreamApiError(error);
      return answer as T; // what JetStream answers where it is no error
    },
    forbidden: (error) => {
      if (error.subject === `${root}.*`) rejectAll(error);
      for (const [token, { subject }] of waiting) if (subject === error.subject) taken(token)?.reject(error);
    },
    close: () => {
      rejectAll(new errors.ClosedConnectionError());
      closed.abort('over');
    },
  };
};

type Answer<T> = T & { readonly error?: ConstructorParameters<typeof JetStreamApiError>[0] };
