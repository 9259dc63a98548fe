import { Instant, type Json, TokenDelta } from '@foldmesh/envelope';
import { JobEvent, JobRecord } from '@foldmesh/job';
import { z } from 'zod';

/** An event of a job as its stream tells it: each says when it was appended. */
export const StreamEvent: z.ZodType<JobEvent & { readonly at: Instant }> = z.union(
  JobEvent.options.map((event) => event.extend({ at: Instant })),
);
export type StreamEvent = z.infer<typeof StreamEvent>;

/**
 * One step of a stream. `reset`: where the reader was cannot be served, this is the job as it is, and the stream goes on
 * from here. `live`: what a model says while it says it, which may be lost and is never told again. `other`: an event
 * that a newer manager knows and this client does not.
 */
export type StreamStep =
  | { readonly kind: 'event'; readonly id: string; readonly event: StreamEvent }
  | { readonly kind: 'reset'; readonly job: JobRecord }
  | { readonly kind: 'live'; readonly news: TokenDelta }
  | { readonly kind: 'other'; readonly id: string; readonly name: string; readonly data: Json };

/** The events after which a stream says nothing more. */
const endings: readonly JobEvent['kind'][] = ['job-completed', 'job-failed', 'job-cancelled', 'job-refused'];

export const endsStream = ({ kind }: Pick<JobEvent, 'kind'>): boolean => endings.includes(kind);

/** Where a step stands: sequence of its entry, and its index in that. Undefined of an id that is no `<sequence>.<index>`. */
export const placeOf = (id: string): { readonly seq: number; readonly index: number } | undefined => {
  const [, seq, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(id) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), index: Number(index) };
};

/** Undefined for what is no step: a frame without an id that is neither reset nor live news that this client knows. */
export const stepOf = (frame: {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: Json;
}): StreamStep | undefined => {
  const { id, name, data } = frame;
  if (name === 'reset') return { kind: 'reset', job: JobRecord.parse(data) };
  if (name === 'live') {
    const news = TokenDelta.safeParse(data).data;
    return news && { kind: 'live', news };
  }
  if (id === undefined) return undefined;
  const event = StreamEvent.safeParse(data).data;
  return event === undefined ? { kind: 'other', id, name, data } : { kind: 'event', id, event };
};
