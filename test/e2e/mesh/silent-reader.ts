import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that asks for events and does not read them, as a laptop that has fallen asleep. */
export interface SilentReader {
  readonly socket: Socket;
  /** Wakes up, takes what has been sent to it until its connection ends, and says the ids of all events that came whole. */
  wake(): Promise<readonly string[]>;
}

export const silentReader = async (url: string, job: string): Promise<SilentReader> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  await once(socket, 'connect');
  // Cut off it is by a reset, which is no error here.
  socket.on('error', () => undefined);
  socket.write(`GET /v1/jobs/${job}/events HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  return {
    socket,
    wake: async () => {
      let text = '';
      socket.setEncoding('utf8');
      socket.on('data', (data) => {
        text += data;
      });
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.resume();
      await closed;
      return idsIn(text);
    },
  };
};

/** The body comes in chunks, whose lengths stand between the frames; a frame that was cut off has not come. */
const idsIn = (text: string): readonly string[] => {
  const frames = text.replace(/\r\n[0-9a-f]+\r\n/g, '').split('\n\n');
  frames.pop();
  return frames.flatMap((frame) => /^id: (\d+\.\d+)$/m.exec(frame)?.[1] ?? []);
};
