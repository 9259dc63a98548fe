import { Redis } from 'ioredis';
import * as inbox from './inbox-scripts.ts';
import * as ledger from './ledger-scripts.ts';
import { type RedisSettings, redisLimits, settingDefaults } from './settings.ts';

type Argument = string | number;
type Script = (...given: readonly Argument[]) => Promise<unknown>;

/** The client, and our scripts as commands of it. */
export type Client = Redis & Readonly<Record<keyof typeof scripts, Script>>;

/** The client sends a script's text once on each connection, and its digest from then on; a forgotten one is sent anew. */
const scripts = {
  inboxClaim: { lua: inbox.claim, numberOfKeys: 3 },
  inboxRenew: { lua: inbox.renew, numberOfKeys: 2 },
  inboxStart: { lua: inbox.start, numberOfKeys: 2 },
  inboxComplete: { lua: inbox.complete, numberOfKeys: 2 },
  inboxRelease: { lua: inbox.release, numberOfKeys: 2 },
  inboxHalt: { lua: inbox.halt, numberOfKeys: 1 },
  storeGeneration: { lua: inbox.generation, numberOfKeys: 1 },
  ledgerReserve: { lua: ledger.reserve },
  ledgerEnd: { lua: ledger.end },
  ledgerRebuild: { lua: ledger.rebuild, numberOfKeys: 1 },
  ledgerBalance: { lua: ledger.balance, numberOfKeys: 1 },
} as const;

/**
 * A client that never keeps a command for later. What is asked while there is no connection fails at once; what was
 * sent when one broke fails too, and is not sent again by itself: whoever asked knows whether asking again is right.
 * It connects again for ever, and gives a connection up on which an answer is overdue.
 */
export const redisClient = ({
  url,
  random,
  commandTimeoutMs = settingDefaults.commandTimeoutMs,
}: RedisSettings): Client =>
  new Redis(url, {
    lazyConnect: true,
    scripts,
    // Its pipelines go one after the other, so that client and server would wait for each other: half as fast (ADR 16).
    enableAutoPipelining: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: commandTimeoutMs,
    // Replies come in order, so silence on the connection is the only way in which one can be overdue.
    socketTimeout: commandTimeoutMs,
    maxLoadingRetryTime: redisLimits.lookWrongMs,
    retryStrategy: (times) => {
      const growing = redisLimits.reconnectMsMin * 2 ** Math.min(times - 1, 10);
      // Jitter, so that the hosts of a mesh do not all come back in one instant.
      return Math.min(growing, redisLimits.reconnectMsMax) * (0.75 + random.float() / 2);
    },
  }) as Client; // the commands that `scripts` defines are not in its type
