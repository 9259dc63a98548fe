import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, type NatsServer } from '@foldmesh/testbed';

/** One request as anybody can make it who reaches the server's port, and the JSON of its answer. */
export const natsRequest = async ({ port }: NatsServer, subject: string, body: unknown): Promise<unknown> => {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  try {
    await once(socket, 'connect');
    const payload = JSON.stringify(body);
    const inbox = `_INBOX.${crypto.randomUUID()}`;
    socket.write(
      `CONNECT {"verbose":false}\r\nSUB ${inbox} 1\r\nPUB ${subject} ${inbox} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`,
    );
    const answer = await eventually(() => /\r\nMSG [^\r]*\r\n([^\r]*)\r\n/.exec(heard)?.[1] ?? null);
    return JSON.parse(answer);
  } finally {
    socket.destroy();
  }
};
