import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fail, fault, invariant, ok, type Result } from '@foldmesh/envelope';
import { getRequestListener, RequestError } from '@hono/node-server';
import { systemClock } from './system-clock.ts';
import { type Unheard, unheardResponse, unheardText, unreadOf } from './unheard.ts';

/** A function of requests, listening on one port. */
export interface HttpServer {
  /** The port that it is bound to; a fault says why it cannot be. */
  listen(address: string, port: number): Promise<Result<number>>;
  /** Takes no new connection, lets what is in hand be answered, and drops what does not end within `answerMs`. */
  close(answerMs: number): Promise<void>;
}

/**
 * A connection on which nothing moves for so long, or for twice as long when something was on its way, is dropped; a
 * silent event stream moves more often. Milliseconds.
 */
const silentMs = 45_000;
/** How long connections are still taken in once the server closes. Milliseconds. */
const takeInMs = 200;
/** How long a connection that has never asked anything may still do so once the server closes. */
const unusedMs = 200;

export interface HttpServerSettings {
  /** Connections at once, most of which wait for nothing; each costs a file and some KiB. One more is closed unheard. */
  readonly connectionsMax: number;
}

export const httpServer = (
  app: (request: Request) => Promise<Response>,
  { connectionsMax }: HttpServerSettings = { connectionsMax: 4_096 },
): HttpServer => {
  const server = createServer(
    { requireHostHeader: false }, // a missing one is refused below, as a problem
    getRequestListener(
      async (request, { incoming }) => {
        // Of two names the next one on the way may have believed the other.
        if (hostsIn(incoming) > 1) return unheardResponse(unreadOf(undefined));
        const answer = await app(request);
        await readRest(request);
        return answer;
      },
      {
        errorHandler: (error) =>
          unheardResponse(error instanceof RequestError ? unreadOf(undefined) : defect),
      },
    ),
  );
  sayWhatIsUnheard(server);
  server.maxConnections = connectionsMax;
  server.setTimeout(silentMs);
  const unused = new Set<Socket>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    // The platform would cut off an idle connection with the end of its answer still on the way; this waits for it.
    response.once('finish', () => (closing ? socket.end() : undefined));
  });
  return {
    listen: (address, port) =>
      new Promise((resolve) => {
        const refused = (error: Error): void => resolve(fail(fault('refused', refusalOf(port, error))));
        server.once('error', refused);
        server.listen(port, address, () => {
          server.off('error', refused);
          const bound = server.address();
          invariant(typeof bound === 'object' && bound !== null, 'a server that listens has an address');
          resolve(ok(bound.port));
        });
      }),
    async close(answerMs) {
      // Whoever is connected already and waits to be taken in would be reset: the platform takes in one at a time.
      if (answerMs > 0) await systemClock.sleep(Math.min(takeInMs, answerMs));
      closing = true;
      const closed = new AbortController();
      server.close(() => closed.abort());
      await systemClock.sleep(Math.min(unusedMs, answerMs), closed.signal);
      for (const socket of unused) socket.destroy();
      await systemClock.sleep(answerMs - takeInMs - unusedMs, closed.signal);
      server.closeAllConnections();
    },
  };
};

const hostsIn = ({ rawHeaders }: { readonly rawHeaders: readonly string[] }): number =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;

const defect: Unheard = { status: 500, code: 'defect', title: 'Something is wrong on this side' };
const noTunnel: Unheard = {
  status: 405,
  code: 'method_not_allowed',
  title: 'Nobody is connected through here',
};
const unexpected: Unheard = {
  status: 417,
  code: 'bad_request',
  title: 'Only 100-continue can be expected',
};

/** Answers what the platform would end without a word, or with a bare status. */
const sayWhatIsUnheard = (server: Server): void => {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const refuse = async (socket: Duplex, unheard: Unheard): Promise<void> => {
    // Within an answer there is no place for another; a socket that has ended has been told.
    if (!socket.writable || answering.get(socket)?.headersSent === true) return void socket.destroy();
    socket.end(await unheardText(unheard));
    await systemClock.sleep(restMs);
    socket.destroy();
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response);
    response.once('close', () => answering.delete(request.socket));
  });
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket) => void refuse(socket, unreadOf(error.code)),
  );
  server.on('connect', (_, socket) => void refuse(socket, noTunnel));
  server.on('checkExpectation', ({ socket }: IncomingMessage) => void refuse(socket, unexpected));
};

/** How much of a request that was answered unread is read all the same, and for how long: bytes and milliseconds. */
const restBytesMax = 16 * 1024 * 1024;
const restMs = 1_000;

/** What lies unread when a socket closes makes a reset of it, and the answer that says why is lost. */
const readRest = async ({ body, bodyUsed }: Request): Promise<void> => {
  if (body === null || bodyUsed || body.locked) return;
  const reader = body.getReader();
  const over = new AbortController();
  const late = systemClock.sleep(restMs, over.signal).then(() => ({ done: true, value: undefined }));
  try {
    for (let bytes = 0; bytes < restBytesMax; ) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return;
      bytes += value?.length ?? 0;
    }
  } catch {
    return; // whoever sent it has gone
  } finally {
    over.abort();
  }
};

const refusalOf = (port: number, error: Error): string => {
  const code = 'code' in error ? String(error.code) : error.message;
  return code === 'EADDRINUSE'
    ? `port ${port} is in use: name another with --port or api.port; 0 picks a free one`
    : `port ${port} cannot be used (${code})`;
};
