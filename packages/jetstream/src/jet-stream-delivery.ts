import { invariant, ok, type RawHeaders, type Result } from '@foldmesh/envelope';
import type { Delivery } from '@foldmesh/ports';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { readAckSubject } from './ack-subject.ts';
import { asking, type Connection } from './connection.ts';
import { ownBytes } from './own-bytes.ts';

const source = 'nats-ack';
const text = new TextEncoder();
const acked = text.encode('+ACK');
const inProgress = text.encode('+WPI');
const given = text.encode('-NAK');

/**
 * A message in somebody's hands. All that is said of it is asked as a request: the server answers, or it was not heard.
 * Nothing is fenced: a late ack counts, whoever holds the message by then.
 */
export const jetStreamDelivery = (connection: Connection, message: Msg): Delivery => {
  const { asks, settings } = connection;
  const reply = message.reply ?? '';
  const ask = asking(connection, source);
  const say = (word: Uint8Array): Promise<Result<void>> =>
    ask(async () => {
      await asks.ask(reply, word);
      return ok(undefined);
    });
  return {
    subject: message.subject,
    headers: headersOf(message.headers),
    body: ownBytes(message.data),
    redelivered: readAckSubject(reply).deliveries > 1,
    received_at: settings.clock.now(),
    ack: () => say(acked),
    working: () => say(inProgress),
    nak: (delayMs) => {
      invariant(
        Number.isInteger(delayMs) && delayMs >= 0,
        'nak: the delay is in whole milliseconds, or it is none',
      );
      return say(delayMs === 0 ? given : text.encode(`-NAK {"delay":${delayMs}000000}`));
    },
  };
};

/** Whoever wrote a header twice meant the first. */
export const headersOf = (headers: MsgHdrs | undefined): RawHeaders =>
  // Not by assignment: one may be called `__proto__`.
  Object.fromEntries([...(headers ?? [])].map(([name, [value = '']]) => [name, value]));
