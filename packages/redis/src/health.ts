import type { Log } from '@foldmesh/ports';
import type { Problem, RedisReport } from './report.ts';

/**
 * What is known of the server, and so whether it may be asked. Shut from the first moment, and again from the moment a
 * connection ends until the server behind the next one has been looked at: it may be another.
 */
export interface Health {
  /** Why nothing may be asked now; `undefined`: it may. */
  shut(): string | undefined;
  /** Why not even the end of what has begun may be told now. */
  deaf(): string | undefined;
  /** All that is wrong, also what the server itself refuses meanwhile. */
  problems(): readonly string[];
  /** Whether waiting is of no use. */
  isLasting(): boolean;
  /** Whether the server that we are connected to is known to be one. */
  isReplica(): boolean;
  report(): RedisReport | undefined;
  /** Counts connections, so that a look knows whether it saw only one. */
  connection(): number;
  connected(): void;
  gone(why: string): void;
  /** `refusal` is what the server said to a write. */
  seen(report: RedisReport, problems: readonly Problem[], refusal: string | undefined): void;
  unseen(problem: Problem): void;
  /** Whether that is news. */
  refused(why: string): boolean;
}

export const healthOf = (log: Log, address: string): Health => {
  let connections = 0;
  let shutting: readonly Problem[] = [{ text: 'not connected yet', lasting: false }];
  let refusal: string | undefined;
  let report: RedisReport | undefined;
  let isReplica = false;
  let told = '';
  let wasUsable = false;

  const texts = (): readonly string[] => [
    ...shutting.map(({ text }) => text),
    ...(refusal === undefined ? [] : [refusal]),
  ];
  const problems = (): readonly string[] => texts().map((text) => `redis at ${address}: ${text}`);

  const tell = (): void => {
    const now = texts().join('; ');
    if (now === told) return;
    told = now;
    if (now === '') {
      wasUsable = true;
      log('info', 'redis may be used', { address, ...report });
      return;
    }
    // On the way to the first use it is only not there yet.
    const isNews = wasUsable || shutting.some(({ lasting }) => lasting) || refusal !== undefined;
    log(isNews ? 'warn' : 'info', 'redis may not be used', { address, why: now });
  };

  const set = (reasons: readonly Problem[], refusedBy: string | undefined): void => {
    shutting = reasons;
    refusal = refusedBy;
    tell();
  };

  return {
    shut: () => (shutting.length === 0 ? undefined : problems().join('; ')),
    deaf: () => (shutting.every(({ forgets }) => forgets) ? undefined : problems().join('; ')),
    problems,
    isLasting: () => shutting.some(({ lasting }) => lasting),
    isReplica: () => isReplica,
    report: () => report,
    connection: () => connections,
    connected: () => {
      connections += 1;
      isReplica = false;
      shutting = [{ text: 'not looked at yet', lasting: false }];
    },
    gone: (why) => {
      connections += 1;
      isReplica = false;
      set([{ text: `not connected: ${why}`, lasting: /^(WRONGPASS|NOAUTH|ERR AUTH)/.test(why) }], undefined);
    },
    seen: (found, reasons, refusedBy) => {
      const evicted = found.evictedKeys - (report?.evictedKeys ?? 0);
      report = found;
      isReplica = found.role !== 'master';
      if (evicted > 0) log('error', 'redis has evicted keys: records are missing', { address, evicted });
      set(reasons, refusedBy);
    },
    unseen: (problem) => set([problem], undefined),
    refused: (why) => {
      const isNews = refusal === undefined && shutting.length === 0;
      if (isNews) set(shutting, why);
      return isNews;
    },
  };
};
