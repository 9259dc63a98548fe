import { type Envelope, ok, type Result, shardOf } from '@foldmesh/envelope';
import type { JobType } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { cast, type Host } from '@foldmesh/runtime';
import type { Admission } from './admission.ts';

/**
 * Tells whoever submits that the job was not taken, at once and without promise: who hears nothing asks again. A job that
 * has its first entry is past the door, however often its submit comes.
 */
export const turnAway = async (
  host: Host,
  entity: Entity,
  envelope: Envelope<JobType>,
  mayCome: Admission,
): Promise<Result<boolean>> => {
  if (envelope.type !== 'job.submit') return ok(false);
  const why = await mayCome(envelope);
  if (why === undefined) return ok(false);
  const first = await host.ports.journal.last(entity);
  if (!first.ok) return first;
  if (first.value !== undefined) return ok(false);
  host.ports.log('info', 'a job was turned away', { job: entity.job, fault: why.detail });
  if (envelope.reply_to !== undefined) {
    const at = host.ports.clock.now();
    await cast(
      host.ports,
      envelope.reply_to,
      {
        type: 'job.settle',
        to: { service: 'manager', pool: shardOf(entity.job) },
        key: envelope.idempotency_key,
        attempt: envelope.attempt,
        payload: { fault: why },
      },
      { sender: host.party, at, since: at, epoch: 0, trace_id: envelope.trace_id },
    );
  }
  return ok(true);
};
