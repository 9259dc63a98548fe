import { invariant, type Queue } from '@foldmesh/envelope';
import type { Bus, Delivery, Subscription } from '@foldmesh/ports';
import { type Bench, got, insist } from './rig.ts';

type BusBench = Bench<'bus'>;

/** Pulls up to `max`, and comes back empty when nothing has come within `ms`. */
export const pullWithin = async (
  { ports }: Pick<BusBench, 'ports'>,
  subscription: Subscription,
  max: number,
  ms: number,
): Promise<readonly Delivery[]> => {
  const giveUp = new AbortController();
  const served = new AbortController();
  const patience = ports.clock.sleep(ms, served.signal).then(() => giveUp.abort());
  const taken = await subscription.pull(max, giveUp.signal);
  served.abort();
  await patience;
  return taken;
};

/** What comes to a new subscriber of `queue` within `ms`, at most `max` of it. */
export const takenWithin = async (
  bench: BusBench,
  queue: Queue,
  max: number,
  ms: number,
): Promise<readonly Delivery[]> => {
  await using subscription = await insist(bench, () => bench.ports.bus.subscribe(queue));
  return await pullWithin(bench, subscription, max, ms); // awaited here: disposing must come after
};

/** Takes `count` of a queue, in as many pulls as that needs: one pull waits for what is on its way no longer than a moment. */
export const takenAll = async (
  bench: BusBench,
  queue: Queue,
  count: number,
): Promise<readonly Delivery[]> => {
  await using subscription = await insist(bench, () => bench.ports.bus.subscribe(queue));
  const all: Delivery[] = [];
  while (all.length < count) {
    const taken = await pullWithin(bench, subscription, count - all.length, bench.patienceMs);
    invariant(taken.length > 0, `only ${all.length} of ${count} were delivered`);
    all.push(...taken);
  }
  return all;
};

/** The next delivery of the gateways' queue, to a subscriber that goes away at once: who holds what is not its business. */
export const next = async (bench: BusBench, withinMs = bench.patienceMs): Promise<Delivery> => {
  const [delivery] = await takenWithin(bench, bench.make.gateway, 1, withinMs);
  invariant(delivery, `nothing was delivered within ${withinMs} ms`);
  return delivery;
};

/** A moment of the clock that times are measured on. Milliseconds. */
export const moment = ({ ports }: BusBench): number => ports.clock.monotonic();

/**
 * The next delivery, which is due `ms` after `since`, a moment before the bus was told what makes it wait: however slow the
 * machine is, it must not be seen earlier.
 */
export const due = async (bench: BusBench, since: number, ms: number): Promise<Delivery> => {
  const delivery = await next(bench, ms + bench.patienceMs);
  const tookMs = moment(bench) - since;
  invariant(tookMs >= ms - bench.slackMs, `it came after ${tookMs} ms, and was due after ${ms}`);
  return delivery;
};

/** The next delivery, which comes at once: before anything could come back that is merely held. */
export const atOnce = async (bench: BusBench): Promise<Delivery> => {
  const since = moment(bench);
  const delivery = await next(bench);
  const tookMs = moment(bench) - since;
  invariant(tookMs < 0.75 * bench.ackWaitMs, `it came after ${tookMs} ms, when a hold may have ended`);
  return delivery;
};

/** Whether the gateways' queue stays silent for `ms`. */
export const isSilent = async (bench: BusBench, ms: number): Promise<boolean> =>
  (await takenWithin(bench, bench.make.gateway, 1, ms)).length === 0;

/** Messages of a queue that nobody has acked yet, waiting and in hand. A broker may count an ack a moment after its answer. */
export const unacked = async (bus: Bus, queue: Queue): Promise<number> => {
  const { waiting, in_hand } = got(await bus.standing(queue));
  return waiting + in_hand;
};

/** Publishes calls `1…count`. */
export const publishCalls = async (bench: BusBench, count: number): Promise<void> => {
  for (let step = 1; step <= count; step++) got(await bench.ports.bus.publish(bench.make.toolCall(step)));
};
