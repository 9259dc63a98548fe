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

/** The next delivery of the gateways' queue, to a subscriber that goes away at once: who holds what is not its business. */
export const next = async (bench: BusBench, withinMs = bench.slackMs): Promise<Delivery> => {
  const [delivery] = await takenWithin(bench, bench.make.gateway, 1, withinMs);
  invariant(delivery, `nothing was delivered within ${withinMs} ms`);
  return delivery;
};

/** Whether the gateways' queue stays silent for `ms`. */
export const isSilent = async (bench: BusBench, ms: number): Promise<boolean> =>
  (await takenWithin(bench, bench.make.gateway, 1, ms)).length === 0;

/** Messages of a queue that nobody has acked yet, waiting and in hand. */
export const unacked = async (bus: Bus, queue: Queue): Promise<number> => {
  const { waiting, in_hand } = got(await bus.standing(queue));
  return waiting + in_hand;
};

/** Publishes calls `1…count` and takes them all, in one go where the bus can. */
export const publishCalls = async (bench: BusBench, count: number): Promise<void> => {
  for (let step = 1; step <= count; step++) got(await bench.ports.bus.publish(bench.make.toolCall(step)));
};
