import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { NatsServer, RedisServer } from '@foldmesh/testbed';

interface Jsz {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly state: { readonly last_seq: number; readonly bytes: number };
    }[];
  }[];
}
interface Varz {
  readonly in_msgs: number;
  readonly out_msgs: number;
}

/** What two servers have been asked so far: messages stored in each stream, messages that came and went, commands. */
export const meshCounts = async (
  { monitorUrl }: NatsServer,
  { port }: RedisServer,
): Promise<Readonly<Record<string, number>>> => {
  const streams = await streamsOf(monitorUrl);
  const { in_msgs, out_msgs } = (await ask(`${monitorUrl}/varz`)) as Varz; // as the server documents it
  const stats = await redisInfo(port, 'commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  return {
    ...Object.fromEntries(streams.map(({ name, state }) => [name, state.last_seq])),
    'nats in': in_msgs,
    'nats out': out_msgs,
    ...Object.fromEntries(calls.map(([, name, count]) => [`redis ${name}`, Number(count)])),
  };
};

/** Every stream of a NATS server, and what it stores. */
export const streamsOf = async (monitorUrl: string) => {
  const { account_details = [] } = (await ask(`${monitorUrl}/jsz?streams=1`)) as Jsz; // as the server documents it
  return account_details.flatMap(({ stream_detail = [] }) => stream_detail);
};

const ask = async (url: string): Promise<unknown> => (await fetch(url)).json();

/** One section of what a Redis server says of itself. */
export const redisInfo = async (port: number, section: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`INFO ${section}\r\nQUIT\r\n`);
  return text(socket);
};
