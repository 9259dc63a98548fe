import {
  type BlobRef,
  digestOf,
  encodeFields,
  encodeText,
  fail,
  type Instant,
  ok,
  type Result,
  type WireId,
  wireIdOf,
} from '@foldmesh/envelope';
import type { Append, Entity, Ports } from '@foldmesh/ports';
import { entityName, type Loaded } from './entity-log.ts';
import { runtimeLimits } from './settings.ts';

export interface Writing<S> {
  readonly entity: Entity;
  readonly before: Loaded<S>;
  /** After the events. */
  readonly state: S;
  readonly fold: number;
  readonly events: readonly unknown[];
  readonly causes: readonly WireId[];
  readonly at: Instant;
  readonly mark: string | undefined;
}

/** Makes the append of one decision, and what will be known once it is stored under a sequence. */
export const writeEntry = async <S>(
  stores: Pick<Ports, 'blobs'>,
  writing: Writing<S>,
): Promise<Result<{ readonly append: Append; readonly after: (seq: number) => Loaded<S> }>> => {
  const { entity, before, state, fold, events, causes, at, mark } = writing;
  // Each part is made into text once: it may be long.
  const eventsText = JSON.stringify(events);
  const placed = await place(stores, entity, encodeText(eventsText));
  if (!placed.ok) return placed;
  const events_ref = placed.value;
  const said = {
    v: 1,
    causes,
    at,
    mark,
    first: before.position,
    ...(events_ref !== undefined && { events_ref, events_count: events.length }),
  };
  const texts = events_ref === undefined ? { events: eventsText } : {};
  const ownBytes = encodeFields(said, texts).length;
  const tailBytes = before.tailBytes + ownBytes + (events_ref?.bytes ?? 0);
  const carried = stateToCarry(before, state, tailBytes);
  const placedState = carried.carry ? await place(stores, entity, carried.bytes) : ok(undefined);
  if (!placedState.ok) return placedState;
  const state_ref = placedState.value;
  // Whoever begins at this entry reads what it says itself, too.
  const tail_bytes = carried.carry ? ownBytes : tailBytes;
  const entry = carried.carry
    ? encodeFields(
        { ...said, tail_bytes, fold, state_ref },
        { ...texts, ...(!state_ref && { state: carried.text }) },
      )
    : encodeFields({ ...said, tail_bytes, state_at: before.stateAt }, texts);
  // Named by what it says: a second try that came to another decision is not the first one sent again.
  const id = wireIdOf('entry', `${entityName(entity)}/${digestOf(entry)}`, before.seq + 1, 0);
  return ok({
    append: { entity, entry, expected: before.seq, id },
    after: (seq) => ({
      state,
      seq,
      at,
      position: before.position + events.length,
      tailBytes: tail_bytes,
      stateAt: carried.carry ? seq : before.stateAt,
      stateBytes: carried.stateBytes,
    }),
  });
};

/** Small state always rides along; a large one when the tail since the last has grown as long as it is. */
const stateToCarry = <S>(before: Loaded<S>, state: S, tailBytes: number) => {
  const small = before.stateBytes <= runtimeLimits.stateBytesSmall;
  if (!small && tailBytes < before.stateBytes)
    return { carry: false, stateBytes: before.stateBytes } as const;
  const text = JSON.stringify(state);
  const bytes = encodeText(text);
  const carry =
    bytes.length <= runtimeLimits.stateBytesSmall || tailBytes >= bytes.length || before.seq === 0;
  return carry
    ? ({ carry, text, bytes, stateBytes: bytes.length } as const)
    : ({ carry, stateBytes: bytes.length } as const);
};

/** Bytes above 64 KiB go to a blob before the append; undefined says that they may stay in the entry. */
const place = async (
  stores: Pick<Ports, 'blobs'>,
  { tenant, job }: Entity,
  bytes: Uint8Array,
): Promise<Result<BlobRef | undefined>> => {
  if (bytes.length <= runtimeLimits.entryBytesInline) return ok(undefined);
  const put = await stores.blobs.put(tenant, job, bytes);
  return put.ok ? put : fail(put.fault);
};
