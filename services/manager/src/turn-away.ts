import { type Envelope, type Fault, fail, ok, type Result, shardOf } from '@foldmesh/envelope';
import type { JobType } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { cast, type Host, type Refusal } from '@foldmesh/runtime';
import type { Admission } from './admission.ts';

/** Why a job is not taken on, or nothing. One that has its first entry is past the door, however often its submit comes. */
export const turnAway = async (
  host: Host,
  entity: Entity,
  envelope: Envelope<JobType>,
  mayCome: Admission,
): Promise<Result<Refusal | undefined>> => {
  if (envelope.type !== 'job.submit') return ok(undefined);
  const out = await mayCome(envelope);
  if (out === undefined) return ok(undefined);
  const first = await host.ports.journal.last(entity);
  if (!first.ok) return first;
  if (first.value !== undefined) return ok(undefined);
  if (!out.waits) return ok({ tell: () => tell(host, entity, envelope, out.why) });
  host.ports.log('info', 'a job waits for what nobody offers yet', {
    job: entity.job,
    lacking: out.why.detail,
  });
  return fail(out.why);
};

/** At once and without promise: who hears nothing asks again. */
const tell = async (
  host: Host,
  { job }: Entity,
  envelope: Envelope<'job.submit'>,
  why: Fault,
): Promise<void> => {
  host.ports.log('info', 'a job was turned away', { job, fault: why.detail });
  if (envelope.reply_to === undefined) return;
  const at = host.ports.clock.now();
  await cast(
    host.ports,
    envelope.reply_to,
    {
      type: 'job.settle',
      to: { service: 'manager', pool: shardOf(job) },
      key: envelope.idempotency_key,
      attempt: envelope.attempt,
      payload: { fault: why },
    },
    { sender: host.party, at, since: at, epoch: 0, trace_id: envelope.trace_id },
  );
};
