import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RedisServer } from '@foldmesh/testbed';

/** One command as a person types it at the server's port, and all that it answers. */
export const redisCommand = async ({ port }: RedisServer, command: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${command}\r\nQUIT\r\n`);
  return text(socket);
};
