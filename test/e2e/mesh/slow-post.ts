import { connect } from 'node:net';
import { eventually } from '@foldmesh/testbed';

/** A request whose body is still on its way. */
export interface SlowPost {
  /** Sends the rest, and gives the status of the answer and its body; 0 and the reason where none came. */
  finish(): Promise<{ readonly status: number; readonly body: string }>;
}

const goOn = /^HTTP\/1\.1 100 [^\r]*\r\n\r\n/;

/**
 * Sends the head of a POST and, once the server has read it, half of its body, so that the request is in hand for as long as
 * its client likes.
 */
export const slowPost = async (url: string, body: unknown, key: string): Promise<SlowPost> => {
  const { hostname, port, pathname } = new URL(url);
  const bytes = JSON.stringify(body);
  const half = Math.floor(bytes.length / 2);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let wrong = '';
  socket.once('error', (error) => {
    wrong = String(error);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    `idempotency-key: ${key}`,
    `content-length: ${Buffer.byteLength(bytes)}`,
    'connection: close',
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await eventually(() => goOn.test(said));
  socket.write(bytes.slice(0, half));
  return {
    async finish() {
      socket.write(bytes.slice(half));
      await closed;
      const heard = said.replace(goOn, '') || `no answer\r\n\r\n${wrong}`;
      const [, status = '0'] = /^HTTP\/1\.1 (\d{3}) /.exec(heard) ?? [];
      return { status: Number(status), body: heard.slice(heard.indexOf('\r\n\r\n') + 4) };
    },
  };
};
