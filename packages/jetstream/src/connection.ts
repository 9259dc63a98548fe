import { Defect, fail, fault, ok, type Result } from '@foldmesh/envelope';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  connect,
  errors,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import { type Asks, asksOver } from './asks.ts';
import { faultFrom } from './faults.ts';
import { type ServerAddress, serverAddress } from './server-address.ts';
import { defaultTimings, type JetStreamSettings, type JetStreamTimings, retryAfterMs } from './settings.ts';
import { turnEnd } from './turn-end.ts';
import { within } from './within.ts';

/** One connection, kept for as long as the process lives: whatever happens to the servers, it comes back by itself. */
export interface Connection extends AsyncDisposable {
  readonly nats: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly asks: Asks;
  readonly timings: JetStreamTimings;
  readonly settings: JetStreamSettings;
  /** Whether there is a server at its other end, as far as we know. */
  isUp(): boolean;
  /** Whoever asks the server something waits for this first, so that all that is asked in one turn leaves together. */
  turnEnd(): Promise<void>;
  /** Calls `hear` after each time that the connection was lost and is there again; the server has forgotten our pulls. */
  onReturn(hear: () => void): () => void;
}

/**
 * Tries until there is a server, or until `signal` aborts: a mesh may be started before its servers. A server that does not
 * let us in is an answer.
 */
export const openConnection = async (
  settings: JetStreamSettings,
  signal: AbortSignal,
): Promise<Result<Connection>> => {
  const timings = { ...defaultTimings, ...settings.timings };
  const address = serverAddress(settings.url);
  if (!address.ok) return address;
  const wanted = connectionOptions(settings, address.value, timings);
  let said = '';
  for (;;) {
    try {
      return ok(await connectionOn(await connect(wanted), settings, timings));
    } catch (error) {
      if (isDefect(error)) throw error;
      const failed = faultFrom(error, 'nats');
      if (failed.kind === 'refused') return fail(failed);
      const { detail } = failed;
      if (detail !== said) settings.log('warn', 'waiting for NATS', { fault: detail });
      said = detail;
    }
    if (!signal.aborted) await settings.clock.sleep(timings.reconnectMs, signal);
    if (signal.aborted) return fail(fault('unavailable', said, { source: 'nats' }));
  }
};

const connectionOptions = (
  { name }: JetStreamSettings,
  address: ServerAddress,
  timings: JetStreamTimings,
): ConnectionOptions => ({
  ...address,
  name,
  maxReconnectAttempts: -1,
  reconnectTimeWait: timings.reconnectMs,
  reconnectJitter: timings.reconnectMs,
  pingInterval: timings.pingMs,
  maxPingOut: 2,
  timeout: timings.requestMs,
  // A password that is being changed must not end a process that works.
  ignoreAuthErrorAbort: true,
  noAsyncTraces: true,
});

const connectionOn = async (
  nats: NatsConnection,
  settings: JetStreamSettings,
  timings: JetStreamTimings,
): Promise<Connection> => {
  const hearers = new Set<() => void>();
  const asks = asksOver(nats, settings, timings.requestMs);
  let up = true;
  let closing = false;
  const watching = watch(nats, (status) => {
    const { type } = status;
    if (type === 'error' && status.error instanceof errors.PermissionViolationError)
      asks.forbidden(status.error);
    if (type === 'disconnect' || type === 'close') {
      if (up && !closing) settings.log('warn', 'the connection to NATS is lost');
      up = false;
    }
    if (type !== 'reconnect') return;
    up = true;
    settings.log('info', 'the connection to NATS is there again');
    for (const hear of [...hearers]) hear();
  });
  // Nothing is asked of the server here: it may be up and its storage not yet.
  const asked = { timeout: timings.requestMs };
  const manager = await jetstreamManager(nats, { ...asked, checkAPI: false });
  return {
    nats,
    streams: jetstream(nats, asked),
    manager,
    asks,
    timings,
    settings,
    isUp: () => up && !nats.isClosed(),
    turnEnd: turnEnd(),
    onReturn: (hear) => {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    [Symbol.asyncDispose]: async () => {
      closing = true;
      // A drain waits for the server, which may be gone; a close does not.
      if (up && !nats.isClosed() && !nats.isDraining())
        await within(settings.clock, timings.requestMs, nats.drain());
      await nats.close();
      asks.close();
      await watching;
    },
  };
};

const watch = async (nats: NatsConnection, hear: (status: Status) => void): Promise<void> => {
  for await (const status of nats.status()) hear(status);
};

/**
 * One call of a port: at once a fault where there is no server, and never an exception. It is begun at the end of the turn, when
 * the caller may have used its bytes again: what is to be sent is copied before.
 */
export const asking =
  (connection: Connection, source: string) =>
  async <T>(ask: () => Promise<Result<T>>): Promise<Result<T>> => {
    if (!connection.isUp())
      return fail(
        fault('unavailable', `${source} is not reachable`, { source, retry_after_ms: retryAfterMs }),
      );
    await connection.turnEnd();
    try {
      return await ask();
    } catch (error) {
      if (isDefect(error)) throw error;
      return fail(faultFrom(error, source));
    }
  };

/** What our own code got wrong is no word about the server. */
export const isDefect = (error: unknown): boolean =>
  error instanceof Defect ||
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError;
