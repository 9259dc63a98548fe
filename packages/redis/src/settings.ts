import type { Clock, Log, Random } from '@foldmesh/ports';

/** Which server, and what the adapter stands on. */
export interface RedisSettings {
  /** `redis://` or, with TLS, `rediss://`; may carry user, password and the number of a database. */
  readonly url: string;
  /** The host's own clock: one that is already corrected by `offsetMs()` would be corrected twice. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** At this many tries without a word a claim answers `struck`. */
  readonly strikesMax?: number;
  /** How long a record lives that nobody touches and nobody has completed. */
  readonly unfinishedKeepMs?: number;
  /** The longest that one call may take, and that a connection may be silent while something is asked. */
  readonly commandTimeoutMs?: number;
  /** How often the server is looked at while all is well. */
  readonly lookMs?: number;
}

export const settingDefaults = {
  strikesMax: 4,
  unfinishedKeepMs: 24 * 60 * 60 * 1000,
  commandTimeoutMs: 2_000,
  lookMs: 2_000,
} as const;

export const redisLimits = {
  /** Between two looks while something is wrong. */
  lookWrongMs: 250,
  reconnectMsMin: 50,
  reconnectMsMax: 1_000,
  /** What is told with a fault that the server's coming back will end; asking meets no network until then. */
  retryMs: 100,
  /** Measurements of the server's clock that the best is taken of. */
  clockSamplesMax: 8,
} as const;
