import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request whose body is still on its way. */
export interface SlowPost {
  /** Sends the rest, and gives the status of the answer and its body; 0 and the reason where none came. */
  finish(): Promise<{ readonly status: number; readonly body: string }>;
}

/** Sends the head of a POST and half of its body, so that the request is in hand for as long as its client likes. */
export const slowPost = async (url: string, body: unknown, key: string): Promise<SlowPost> => {
  const { hostname, port, pathname } = new URL(url);
  const bytes = JSON.stringify(body);
  const half = Math.floor(bytes.length / 2);
  const socket = connect(Number(port), hostname);
  const answer = text(socket).catch((error: unknown) => `no answer\r\n\r\n${String(error)}`);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    `idempotency-key: ${key}`,
    `content-length: ${Buffer.byteLength(bytes)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${bytes.slice(0, half)}`);
  return {
    async finish() {
      socket.write(bytes.slice(half));
      const heard = await answer;
      const [, status = '0'] = /^HTTP\/1\.1 (\d{3}) /.exec(heard) ?? [];
      return { status: Number(status), body: heard.slice(heard.indexOf('\r\n\r\n') + 4) };
    },
  };
};
