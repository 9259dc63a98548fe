import { type Fault, fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';
import { clockOffset, sampleOf, timeOf } from './clock-offset.ts';
import { type Health, healthOf } from './health.ts';
import { inOneWrite } from './one-write.ts';
import { type Client, redisClient } from './redis-client.ts';
import { faultOfError, source, unavailable } from './redis-fault.ts';
import { problemsOf, type RedisReport, reportOf } from './report.ts';
import { type RedisSettings, redisLimits, settingDefaults } from './settings.ts';

/** The one way to the server. */
export interface Link extends AsyncDisposable {
  /** Sends, where the server may be used; whatever goes wrong is a fault. */
  ask<T>(send: (client: Client) => Promise<T>): Promise<Result<T>>;
  /** Says how something ended, also to a server that may forget it again: untold, it would surely happen twice. */
  tell<T>(send: (client: Client) => Promise<T>): Promise<Result<T>>;
  check(waitMs: number): Promise<Result<RedisReport>>;
  problems(): readonly string[];
  offsetMs(): number;
}

/** Connects, and keeps looking at the server for as long as it is open. */
export const redisLink = (settings: RedisSettings): Link => {
  const { clock, log, lookMs = settingDefaults.lookMs } = settings;
  const address = addressOf(settings.url);
  const health = healthOf(log, address ?? 'an address that cannot be read');
  const offset = clockOffset();
  const together = inOneWrite();
  const client = redisClient(address === undefined ? { ...settings, url: 'redis://127.0.0.1' } : settings);
  const closed = new AbortController();
  let rest = new AbortController();
  let lastError = 'the connection ended';

  client.on('error', (error: Error) => {
    lastError = error.message;
  });
  client.on('connect', () =>
    health.unseen({
      text: 'connected, and not ready: it reads what it has stored, or is slow',
      lasting: false,
    }),
  );
  client.on('ready', () => {
    lastError = 'the connection ended';
    health.connected();
    offset.forget();
    rest.abort();
  });
  client.on('close', () => {
    if (!closed.signal.aborted) health.gone(lastError);
  });

  const reconnect = (why: string): void => {
    lastError = why;
    client.disconnect(true);
  };
  const look = async (): Promise<void> => {
    if (client.status === 'ready') await lookAt(client, clock, health, offset);
  };
  const watch = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      rest = new AbortController();
      const connection = health.connection();
      await look();
      const waitMs = health.problems().length === 0 ? lookMs : redisLimits.lookWrongMs;
      await clock.sleep(waitMs, AbortSignal.any([closed.signal, rest.signal]));
      // Behind the name of a replica there may be the new primary; an open connection will never lead to it.
      if (health.isReplica() && connection === health.connection()) reconnect('its role was not master');
    }
  };
  if (address === undefined)
    health.unseen({ text: 'its URL must be redis://… or rediss://…', lasting: true });
  // How it ends is told by the events; nobody waits for the first connection but `check`.
  else client.connect().catch(() => undefined);
  const watching = address === undefined ? Promise.resolve() : watch();

  const send = async <T>(
    shut: string | undefined,
    what: (client: Client) => Promise<T>,
  ): Promise<Result<T>> => {
    if (shut !== undefined) return fail(unavailable(shut));
    together(client.stream);
    const answer = await attempt(() => what(client));
    // The first refusal is looked into at once; those that follow it say nothing new.
    if (!answer.ok && answer.fault.kind === 'unavailable' && health.refused(answer.fault.detail))
      rest.abort();
    return answer;
  };

  return {
    ask: (what) => send(health.shut(), what),
    tell: (what) => send(health.deaf(), what),
    check: (waitMs) => checked(clock, health, look, waitMs),
    problems: health.problems,
    offsetMs: offset.ms,
    async [Symbol.asyncDispose]() {
      closed.abort();
      client.disconnect();
      await watching;
    },
  };
};

/** Without user and password, which are nobody's to read. */
const addressOf = (url: string): string | undefined => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol)) return undefined;
  return parsed.host === '' ? undefined : parsed.host;
};

const attempt = async <T>(send: () => Promise<T>): Promise<Result<T>> => {
  try {
    return ok(await send());
  } catch (error) {
    return fail(faultOfError(error));
  }
};

/** Waits for a server that is not there yet, and not for one that somebody has to set up otherwise first. */
const checked = async (
  clock: Clock,
  health: Health,
  look: () => Promise<void>,
  waitMs: number,
): Promise<Result<RedisReport>> => {
  const until = clock.monotonic() + waitMs;
  for (;;) {
    await look();
    const report = health.report();
    const wrong = health.problems();
    if (wrong.length === 0 && report !== undefined) return ok(report);
    if (health.isLasting()) return fail(lasting(wrong));
    if (clock.monotonic() >= until) return fail(unavailable(wrong.join('; ')));
    await clock.sleep(checkMs);
  }
};

const checkMs = 20;

const lasting = (wrong: readonly string[]): Fault => fault('invalid', wrong.join('; '), { source });

const probeKey = 'foldmesh:probe';
const probeKeepMs = 60_000;
const probeScript = "return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])";

/** Asks what it is, tries a write, and measures its clock. */
const lookAt = async (
  client: Client,
  clock: Clock,
  health: Health,
  offset: ReturnType<typeof clockOffset>,
): Promise<void> => {
  const connection = health.connection();
  const [info, config, write] = await Promise.all([
    attempt(() => client.info()),
    attempt(() => client.config('GET', 'maxmemory-policy', 'appendonly', 'appendfsync', 'save')),
    // By a script, as every transition is: a user who may write and run none would look healthy.
    attempt(() => client.eval(probeScript, 1, probeKey, probeKeepMs)),
  ]);
  // It ended meanwhile, and the next one may lead to another server.
  if (connection !== health.connection()) return;
  if (!info.ok) {
    health.unseen({ text: info.fault.detail, lasting: info.fault.retry_after_ms === undefined });
    return;
  }
  const report = reportOf(info.value, config.ok ? pairsOf(config.value) : undefined);
  const problems = problemsOf(info.value, report);
  health.seen(report, problems, write.ok ? undefined : write.fault.detail);
  await measure(client, clock, offset);
};

const measure = async (
  client: Client,
  clock: Clock,
  offset: ReturnType<typeof clockOffset>,
): Promise<void> => {
  const [askedAt, begun] = [clock.now(), clock.monotonic()];
  const time = await attempt(() => client.time());
  if (!time.ok) return;
  const [seconds, micros] = time.value;
  if (seconds === undefined || micros === undefined) return;
  offset.add(sampleOf(askedAt, clock.monotonic() - begun, timeOf([String(seconds), String(micros)])));
};

const pairsOf = (reply: unknown): ReadonlyMap<string, string> | undefined => {
  if (!Array.isArray(reply)) return undefined;
  const pairs = new Map<string, string>();
  for (let at = 0; at + 1 < reply.length; at += 2) pairs.set(String(reply[at]), String(reply[at + 1]));
  return pairs;
};
