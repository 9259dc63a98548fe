import { type Connection, openConnection } from '@foldmesh/jetstream/internal';
import { systemClock } from '@foldmesh/system';
import { answerSubject, bareConsumer, bareStream } from './hop-messages.ts';
import type { Hop, HopServers } from './our-hop.ts';

/** A connection by the client that ours is made with. */
export const rawConnection = async (url: string, name: string): Promise<Connection> => {
  const opened = await openConnection(
    { url, name, clock: systemClock, log: () => undefined },
    AbortSignal.timeout(20_000),
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  return opened.value;
};

type Messages = Awaited<
  ReturnType<Awaited<ReturnType<Connection['streams']['consumers']['get']>>['consume']>
>;
type JsMessage = Messages extends AsyncIterable<infer Message> ? Message : never;

/**
 * The same client with nothing around it: take, publish, ack. No envelope, no claim; `asked`: the ack is a request that
 * the server answers, as ours is.
 */
export const bareHop = async ({ nats, slots }: HopServers, asked: boolean): Promise<Hop> => {
  const connection = await rawConnection(nats, 'bench-bare');
  const { streams } = connection;
  return {
    start: async (taken) => {
      const consumer = await streams.consumers.get(bareStream, bareConsumer);
      const messages = await consumer.consume({ max_messages: slots });
      const pass = async (message: JsMessage): Promise<void> => {
        await streams.publish(answerSubject(message.subject), message.data);
        if (asked) await message.ackAck();
        else message.ack();
      };
      let inHand = 0;
      let room = Promise.withResolvers<void>();
      const free = (): void => {
        inHand -= 1;
        room.resolve();
        room = Promise.withResolvers<void>();
      };
      const read = async (): Promise<void> => {
        for await (const message of messages) {
          while (inHand >= slots) await room.promise;
          inHand += 1;
          taken();
          void pass(message).finally(free);
        }
      };
      const reading = read();
      return {
        stop: async () => {
          await messages.close();
          await reading;
          while (inHand > 0) await room.promise;
          await connection.nats.flush();
        },
      };
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
};
