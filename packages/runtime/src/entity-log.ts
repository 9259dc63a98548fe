import {
  type BlobRef,
  decodeUtf8,
  digestOf,
  type Entry,
  encodeFields,
  encodeJson,
  encodeText,
  fail,
  type Instant,
  invariant,
  type Json,
  ok,
  type Result,
  readStoredEntry,
  type WireId,
  wireIdOf,
} from '@foldmesh/envelope';
import type { Append, Decider, Entity, Ports, Recorded } from '@foldmesh/ports';
import { runtimeLimits } from './settings.ts';

/** The part of a decider that reading a journal needs. */
export type Fold<S, E> = Pick<Decider<S, E>, 'fold' | 'read' | 'initial' | 'evolve'>;
type Stores = Pick<Ports, 'journal' | 'blobs'>;

/** An entity as its journal has it. */
export interface Loaded<S> {
  state: S;
  /** Sequence of the last entry; 0 before the first. */
  readonly seq: number;
  readonly at: Instant;
  /** Events so far. */
  readonly position: number;
  /** What a load would read beside the state that it begins with. */
  readonly tailBytes: number;
  /** Sequence of the last entry that carries state, and how long that state was. */
  readonly stateAt: number | undefined;
  readonly stateBytes: number;
}

export const entityName = ({ tenant, job, run }: Entity): string =>
  run ? `${tenant}/${job}/${run.task}/${run.round}` : `${tenant}/${job}`;

/** Before the first entry. */
export const unwritten = <S, E>(fold: Fold<S, E>): Loaded<S> => ({
  state: fold.initial(),
  seq: 0,
  at: 0,
  position: 0,
  tailBytes: 0,
  stateAt: undefined,
  stateBytes: 0,
});

/**
 * Reads the last entry, which says where to begin, then the last state and what was said since: never more than twice
 * the state.
 */
export const load = async <S, E>(
  stores: Stores,
  fold: Fold<S, E>,
  entity: Entity,
): Promise<Result<Loaded<S>>> => {
  const last = await stores.journal.last(entity);
  if (!last.ok) return last;
  if (last.value === undefined) return ok(unwritten(fold));
  const carrier = await carrierOf(stores, entity, last.value);
  if (!carrier.ok) return carrier;
  const based = carrier.value === undefined ? ok(undefined) : await stateOf(stores, fold, carrier.value);
  if (!based.ok) return based;
  return foldTail(stores, fold, entity, based.value ?? unwritten(fold), last.value.seq);
};

/** The last entry that carries state: this one, or the one it names. */
const carrierOf = async (
  { journal }: Stores,
  entity: Entity,
  last: Recorded,
): Promise<Result<Recorded | undefined>> => {
  const entry = readEntry(last);
  if (carries(entry)) return ok(last);
  return entry.state_at === undefined ? ok(undefined) : journal.at(entity, entry.state_at);
};

const carries = (entry: Entry): boolean => entry.state !== undefined || entry.state_ref !== undefined;

/** The state an entry carries; undefined when another version of the fold made it: then everything is folded, once. */
const stateOf = async <S, E>(
  stores: Stores,
  fold: Fold<S, E>,
  recorded: Recorded,
): Promise<Result<Loaded<S> | undefined>> => {
  const entry = readEntry(recorded);
  if (entry.fold !== fold.fold || !carries(entry)) return ok(undefined);
  const inline = entry.state as Json; // there when it is not by reference
  const state =
    entry.state_ref === undefined ? ok(inline) : await readBlob(stores, recorded.entity, entry.state_ref);
  if (!state.ok) return state;
  return ok({
    state: state.value as S, // written by the same version of the fold
    seq: recorded.seq,
    at: entry.at,
    position: entry.first + (entry.events?.length ?? entry.events_count ?? 0),
    tailBytes: entry.tail_bytes,
    stateAt: recorded.seq,
    stateBytes: entry.state_ref?.bytes ?? encodeJson(entry.state).length,
  });
};

const pageEntries = 256;

const foldTail = async <S, E>(
  stores: Stores,
  fold: Fold<S, E>,
  entity: Entity,
  base: Loaded<S>,
  to: number,
): Promise<Result<Loaded<S>>> => {
  let loaded = base;
  while (loaded.seq < to) {
    const page = await stores.journal.read(entity, loaded.seq + 1, pageEntries);
    if (!page.ok) return page;
    invariant(page.value.length > 0, `M8: the journal of ${entityName(entity)} ends before its last entry`);
    for (const recorded of page.value) {
      const entry = readEntry(recorded);
      const events = await eventsOf(stores, entity, entry);
      if (!events.ok) return events;
      let { state } = loaded;
      for (const event of events.value) state = fold.evolve(state, fold.read(event));
      const position = entry.first + events.value.length;
      loaded = { ...loaded, state, seq: recorded.seq, at: entry.at, position, tailBytes: entry.tail_bytes };
    }
  }
  // Folded from the first entry: the next one carries the state, whatever its size, so that this happens once.
  return ok(base.seq === 0 ? { ...loaded, tailBytes: Number.POSITIVE_INFINITY } : loaded);
};

/** An entry as it was written; one that cannot be read is a defect of this build. */
export const readEntry = (recorded: Recorded): Entry =>
  readStoredEntry(parseStored(recorded.entry, `entry ${recorded.seq}`));

/** What we have stored ourselves. The bound on nesting is not asked for: what came through it lies some levels deeper here. */
const parseStored = (bytes: Uint8Array, what: string): Json => {
  const text = decodeUtf8(bytes);
  invariant(text.ok, `M8: ${what} is no text`);
  return JSON.parse(text.value) as Json; // JSON.parse yields nothing else
};

export const eventsOf = async (
  stores: Pick<Ports, 'blobs'>,
  entity: Entity,
  entry: Entry,
): Promise<Result<readonly Json[]>> => {
  if (entry.events_ref === undefined) return ok(entry.events ?? []);
  const events = await readBlob(stores, entity, entry.events_ref);
  return events.ok ? ok(events.value as readonly Json[]) : events; // an events blob is written as a list
};

const readBlob = async (
  { blobs }: Pick<Ports, 'blobs'>,
  { tenant, job }: Entity,
  ref: BlobRef,
): Promise<Result<Json>> => {
  const bytes = await blobs.get(tenant, job, ref.digest);
  return bytes.ok ? ok(parseStored(bytes.value, `blob ${ref.digest}`)) : bytes;
};

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
  stores: Stores,
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
