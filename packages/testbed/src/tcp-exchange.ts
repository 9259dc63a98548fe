import { connect } from 'node:net';
import { systemClock } from '@foldmesh/system';

/** Where to ask, what to say, and what the answer has to match. */
export interface Exchange {
  readonly port: number;
  readonly words: string;
  readonly until: RegExp;
  readonly withinMs: number;
}

/** Says `words` to a port of 127.0.0.1 and returns the match of `until` in what comes back; the plainest client there is. */
export const tcpExchange = async ({ port, words, until, withinMs }: Exchange): Promise<RegExpExecArray> => {
  const patience = new AbortController();
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  const answer = new Promise<RegExpExecArray>((resolve, reject) => {
    socket.once('connect', () => socket.write(words));
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      const match = until.exec(heard);
      if (match !== null) resolve(match);
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`port ${port} hung up after ${JSON.stringify(heard)}`)));
  });
  const silence = systemClock.sleep(withinMs, patience.signal).then((): never => {
    throw new Error(`port ${port} said only ${JSON.stringify(heard)} within ${withinMs} ms`);
  });
  // Whichever loses the race says nothing more to anybody.
  silence.catch(() => undefined);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    patience.abort();
    socket.destroy();
  }
};
