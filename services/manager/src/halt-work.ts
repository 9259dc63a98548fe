import { cancelSubject, type Envelope, limits, positionOf } from '@foldmesh/envelope';
import type { InHand, Verdict } from '@foldmesh/runtime';

/** What is queued is met by the mark, and answered at once, where a worker has a slot: it gets this long to. Milliseconds. */
const answeredMs = 2_000;

/**
 * The halves of a stop: the mark that every claim and renewal reads and the purge of what is still queued then, which are
 * sure, and between them the broadcast, which is fast and may be lost. Each may happen twice, so it is claimed by nobody.
 */
export const haltWork = async ({ host }: InHand, envelope: Envelope<'job.halt'>): Promise<Verdict> => {
  const { tenant, job } = positionOf(envelope.idempotency_key);
  const { inbox, bus, clock } = host.ports;
  // No request of this job outlives this: its deadline is at most so far away.
  const marked = await inbox.halt(tenant, job, clock.now() + limits.requestMs + host.settings.ackWaitMs);
  if (!marked.ok) return { kind: 'hand_back', delayMs: marked.fault.retry_after_ms };
  bus.cast(cancelSubject(tenant, job), new Uint8Array());
  await clock.sleep(answeredMs, host.intake);
  const purged = await bus.purge(tenant, job);
  return purged.ok
    ? { kind: 'silent', ack: true }
    : { kind: 'hand_back', delayMs: purged.fault.retry_after_ms };
};
