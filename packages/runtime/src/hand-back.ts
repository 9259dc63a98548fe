import { limits } from '@foldmesh/envelope';
import type { Delivery, Ports } from '@foldmesh/ports';
import { runtimeLimits } from './settings.ts';

/**
 * Gives a message back; no strike is counted. The delay follows from the message's age, which doubles it each time
 * without a counter anywhere: 2, 4, 8 … 60 s, ± 25 %. It ends at the deadline, so that a request is told there and not
 * later that it has passed.
 */
export const handBack = async (
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  delivery: Delivery,
  delayMs?: number,
): Promise<void> => {
  const now = clock.now();
  const age = now - (Number(delivery.headers['Mesh-Since']) || now);
  const grown = Math.min(runtimeLimits.handBackMsMax, Math.max(runtimeLimits.handBackMsMin, age));
  const jittered = grown * (0.75 + random.float() / 2);
  const untilDeadline = Number(delivery.headers['Mesh-Deadline']) - now;
  const wanted = delayMs ?? jittered;
  // A fractional delay comes straight back from some servers.
  await delivery.nak(Math.round(untilDeadline > 0 ? Math.min(wanted, untilDeadline) : wanted));
};

/** What nobody here can deal with, but somebody else may: it goes back until its deadline; without one it has as long as a request. */
export const handBackUntilDeadline = async (
  ports: Pick<Ports, 'clock' | 'random'>,
  delivery: Delivery,
  giveUp: () => Promise<void>,
): Promise<void> => {
  const { 'Mesh-Deadline': until, 'Mesh-Since': since } = delivery.headers;
  const deadline = Number(until) || (Number(since) || 0) + limits.requestMs;
  if (ports.clock.now() < deadline) await handBack(ports, delivery);
  else await giveUp();
};
