import type { Result } from '@foldmesh/envelope';
import type { Inbox, Ledger } from '@foldmesh/ports';
import { redisLink } from './link.ts';
import { redisInbox } from './redis-inbox.ts';
import { redisLedger } from './redis-ledger.ts';
import type { RedisReport } from './report.ts';
import type { RedisSettings } from './settings.ts';

/** What foldmesh keeps on one Redis server. */
export interface RedisStores extends AsyncDisposable {
  readonly inbox: Inbox;
  readonly ledger: Ledger;
  /**
   * Checked at start-up: a fault says why this server may not be used. Waits up to `waitMs` for one that is not there
   * yet, is loading, or is a replica; a wrong version or eviction policy is `invalid` at once.
   */
  check(waitMs: number): Promise<Result<RedisReport>>;
  /** By how many milliseconds the server's clock is ahead of this host's. */
  offsetMs(): number;
  /** Why the server may not be used now; empty: it may. While it may not, every call answers `unavailable`. */
  problems(): readonly string[];
}

/** Connects at once, and for ever again; nothing waits for it but `check`. */
export const redisStores = (settings: RedisSettings): RedisStores => {
  const link = redisLink(settings);
  return {
    inbox: redisInbox(link, settings),
    ledger: redisLedger(link, settings),
    check: link.check,
    offsetMs: link.offsetMs,
    problems: link.problems,
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
};
