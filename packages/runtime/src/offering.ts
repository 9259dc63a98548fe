import {
  canonicalJson,
  catalogue,
  catalogueSubject,
  type Instant,
  type JsonObject,
  ok,
  type PoolName,
  type Result,
  type ServiceName,
  sha256Hex,
} from '@foldmesh/envelope';
import type { Host } from './service.ts';

/** How often a process says again what it offers, and for how long what another one of its pool said counts beside it. Milliseconds. */
const againMs = 5_000;
const latelyMs = 20_000;
/** Who has said nothing for so long has gone: three words were due meanwhile. Milliseconds. */
export const silentMs = 3 * againMs;

/** The newest version of each type that this build reads: beside a newer one, a pool that reads less makes work wait. */
const versionsRead = (): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(catalogue).map(([type, { v }]) => [type, v]));

/**
 * Says what a pool offers, and says it again for as long as the process takes work on: during a rollout both builds are
 * heard, whoever began last, and an index that was lost fills again by itself. Processes that offer the same share one
 * subject, so there are as many as there were builds.
 */
export const offering = async (
  host: Host,
  service: ServiceName,
  pool: PoolName,
  offers: JsonObject,
): Promise<Result<void>> => {
  const { index, clock, log } = host.ports;
  const said = { ...offers, reads: versionsRead() };
  const subject = catalogueSubject(service, pool, sha256Hex(canonicalJson(said)).slice(0, 16));
  const say = () => index.put(subject, { ...said, at: clock.now() });
  const first = await say();
  if (!first.ok) return first;
  host.nursery.go(async () => {
    while (!host.intake.aborted) {
      await clock.sleep(againMs, host.intake);
      const again = host.intake.aborted ? ok(undefined) : await say();
      if (!again.ok) log('warn', 'what is offered could not be said', { subject, fault: again.fault.detail });
    }
  });
  return ok(undefined);
};

/** Who offers something. */
export interface Offered {
  readonly service: string;
  readonly pool: string;
  /** When it was said. */
  readonly at?: Instant | undefined;
}

/**
 * What counts of all that was ever said, the newest first: of each pool what was said about as lately as its last word.
 * A pool that has gone keeps that, for its work waits for it.
 */
export const currentOffers = <T extends Offered>(said: readonly T[]): readonly T[] => {
  const last = new Map<string, Instant>();
  const nameOf = ({ service, pool }: Offered): string => `${service}/${pool}`;
  for (const one of said) last.set(nameOf(one), Math.max(last.get(nameOf(one)) ?? 0, one.at ?? 0));
  return said
    .filter((one) => (one.at ?? 0) >= (last.get(nameOf(one)) ?? 0) - latelyMs)
    .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
};
