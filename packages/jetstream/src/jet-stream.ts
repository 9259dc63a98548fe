import { ok, type Result } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { openConnection } from './connection.ts';
import { jetStreamBlobs } from './jet-stream-blobs.ts';
import { jetStreamBus } from './jet-stream-bus.ts';
import { jetStreamDead } from './jet-stream-dead.ts';
import { jetStreamIndex } from './jet-stream-index.ts';
import { jetStreamJournal } from './jet-stream-journal.ts';
import { reportStreams, type StreamReport } from './report-streams.ts';
import type { JetStreamSettings } from './settings.ts';
import { ensureTopology, type TopologyReport } from './topology.ts';

/** The ports of a mesh on one connection to NATS. Disposing drains it: what is said is sent first. */
export interface JetStreamPorts
  extends Pick<Ports, 'bus' | 'journal' | 'blobs' | 'index' | 'dead'>,
    AsyncDisposable {
  /** Makes the streams that are missing and says every difference; harmless to repeat. */
  topology(): Promise<Result<TopologyReport>>;
  /** Says how the streams are, and makes none. */
  report(): Promise<Result<StreamReport>>;
  /** Why nothing may be asked of it now, or nothing. */
  problems(): readonly string[];
}

/** Waits for a server until `signal` aborts. */
export const openJetStream = async (
  settings: JetStreamSettings,
  signal: AbortSignal,
): Promise<Result<JetStreamPorts>> => {
  const connected = await openConnection(settings, signal);
  if (!connected.ok) return connected;
  const connection = connected.value;
  const blobs = jetStreamBlobs(connection);
  return ok({
    bus: jetStreamBus(connection),
    journal: jetStreamJournal(connection),
    index: jetStreamIndex(connection),
    blobs,
    dead: jetStreamDead(connection, blobs),
    topology: () => ensureTopology(connection),
    report: () => reportStreams(connection),
    problems: () => (connection.isUp() ? [] : ['NATS is not reachable']),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  });
};
