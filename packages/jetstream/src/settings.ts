import type { Clock, Log } from '@foldmesh/ports';

/** Where the servers are, and how this mesh wants them to be. Times are milliseconds. */
export interface JetStreamSettings {
  /** One or several, separated by commas; `nats://user:password@host:port`, `tls://…`, a lone user is a token. */
  readonly url: string;
  /** What this process is called in the server's list of connections. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly topology?: Partial<TopologySettings>;
  readonly timings?: Partial<JetStreamTimings>;
}

/** What the streams and consumers are made with, and compared with at every start. */
export interface TopologySettings {
  /** 1 on a single server; 3 in a cluster over three failure domains. */
  readonly replicas: number;
  /** How long a delivery is held before it goes to somebody else. */
  readonly ackWaitMs: number;
  /** How long a stream knows the ids of what it stored. */
  readonly duplicateWindowMs: number;
  /** What may lie at the door; above it a submit is `throttled`. */
  readonly doorMessagesMax: number;
  /** What the journal may weigh, -1 for no limit of its own. The door closes at a part of it. */
  readonly journalBytesMax: number;
  /** What all queued work may weigh, -1 for no limit of its own. */
  readonly workBytesMax: number;
}

export interface JetStreamTimings {
  /** How long a server has to answer one request. */
  readonly requestMs: number;
  /** How often a silent connection is tried; at the second ping without an answer it is given up. */
  readonly pingMs: number;
  /** The pause between two tries to connect. */
  readonly reconnectMs: number;
  /** How long one pull waits at the server before it is asked anew, and how often it is told that it still waits. */
  readonly pullMs: number;
  readonly heartbeatMs: number;
}

export const defaultTopology: TopologySettings = {
  replicas: 1,
  ackWaitMs: 6_000,
  duplicateWindowMs: 20_000,
  doorMessagesMax: 100_000,
  journalBytesMax: -1,
  workBytesMax: -1,
};

export const defaultTimings: JetStreamTimings = {
  requestMs: 2_000,
  pingMs: 2_000,
  reconnectMs: 250,
  pullMs: 30_000,
  heartbeatMs: 5_000,
};

/** All that is asked of these ports is keyed, so asking again is always right. */
export const retryAfterMs = 100;
