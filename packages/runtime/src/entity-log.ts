import {
  type BlobRef,
  decodeUtf8,
  type Entry,
  encodeJson,
  fail,
  fault,
  type Instant,
  invariant,
  type Json,
  ok,
  type Result,
  readStoredEntry,
} from '@foldmesh/envelope';
import type { Decider, Entity, Lost, Ports, Recorded } from '@foldmesh/ports';
import { believed, blobFault, goneSource, isGone } from './gone.ts';

/** The part of a decider that reading a journal needs. */
export type Fold<S, E> = Pick<Decider<S, E>, 'fold' | 'read' | 'initial' | 'evolve' | 'isLoss'>;
type Stores = Pick<Ports, 'journal' | 'blobs' | 'clock'>;

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
  /** Of events that are gone: `state` is what was before them, all else is of the last entry. */
  readonly lost?: Lost;
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

/** The entity as its journal has it; where a part of that is gone, the fault says so (`isGone`). */
export const load = async <S, E>(
  stores: Stores,
  fold: Fold<S, E>,
  entity: Entity,
): Promise<Result<Loaded<S>>> => {
  const loaded = await loadOrLost(stores, fold, entity);
  const lost = loaded.ok ? loaded.value.lost : undefined;
  return lost === undefined ? loaded : fail(fault('invalid', lost.detail, { source: goneSource }));
};

/**
 * Reads the last entry, which says where to begin, then the last state and what was said since: never more than twice
 * the state. Where that state is gone everything is folded.
 */
export const loadOrLost = async <S, E>(
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
  if (!state.ok) return isGone(state.fault) ? ok(undefined) : state;
  return ok({
    state: state.value as S, // written by the same version of the fold
    seq: recorded.seq,
    at: entry.at,
    position: endOf(entry),
    tailBytes: entry.tail_bytes,
    stateAt: recorded.seq,
    stateBytes: entry.state_ref?.bytes ?? encodeJson(entry.state).length,
  });
};

/** Ordinal of the event after an entry's last. */
const endOf = ({ first, events, events_count }: Entry): number =>
  first + (events?.length ?? events_count ?? 0);

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
      const folded = await foldEntry(stores, fold, loaded, recorded);
      if (!folded.ok) return folded;
      loaded = folded.value;
    }
  }
  // Folded from the first entry, or past a loss: the next one carries the state, whatever its size, so that this happens once.
  const isCarriedNext = base.seq === 0 || loaded.lost !== undefined;
  return ok(isCarriedNext ? { ...loaded, tailBytes: Number.POSITIVE_INFINITY } : loaded);
};

/** What follows a loss says nothing without what was lost, until an entry begins with what stands for all of it. */
const foldEntry = async <S, E>(
  stores: Stores,
  fold: Fold<S, E>,
  before: Loaded<S>,
  recorded: Recorded,
): Promise<Result<Loaded<S>>> => {
  const entry = readEntry(recorded);
  const { lost: known, ...rest } = before;
  const next = {
    ...rest,
    seq: recorded.seq,
    at: entry.at,
    position: endOf(entry),
    tailBytes: entry.tail_bytes,
  };
  const stored = await eventsOf(stores, recorded.entity, entry);
  if (!stored.ok && !isGone(stored.fault)) return stored;
  const events = stored.ok ? stored.value.map(fold.read) : [];
  const [first] = events;
  const resumes = known === undefined || (first !== undefined && fold.isLoss?.(first) === true);
  if (stored.ok && resumes) return ok({ ...next, state: events.reduce(fold.evolve, before.state) });
  const { position } = next;
  return ok({ ...next, lost: { ...(known ?? lossAt(recorded, entry, stored)), position } });
};

const lossAt = (
  { entity, seq }: Recorded,
  { events_ref }: Entry,
  stored: Result<unknown>,
): Omit<Lost, 'position'> => {
  invariant(events_ref !== undefined && !stored.ok, 'M8: only what lies in a blob can be gone');
  const { tenant, job } = entity;
  const detail = `entry ${seq} of ${entityName(entity)}: ${stored.fault.detail}`;
  return { tenant, job, digest: events_ref.digest, detail };
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

/** A fault that `isGone` says that nobody will read them any more. */
export const eventsOf = async (
  stores: Pick<Ports, 'blobs' | 'clock'>,
  entity: Entity,
  entry: Entry,
): Promise<Result<readonly Json[]>> => {
  if (entry.events_ref === undefined) return ok(entry.events ?? []);
  const events = await readBlob(stores, entity, entry.events_ref);
  // The entry came after its blob, so it is the younger of the two.
  return events.ok
    ? ok(events.value as readonly Json[]) // an events blob is written as a list
    : fail(believed(events.fault, entry.at, stores.clock.now()));
};

const readBlob = async (
  { blobs }: Pick<Ports, 'blobs'>,
  { tenant, job }: Entity,
  { digest }: BlobRef,
): Promise<Result<Json>> => {
  const bytes = await blobs.get(tenant, job, digest);
  return bytes.ok ? ok(parseStored(bytes.value, `blob ${digest}`)) : fail(blobFault(bytes.fault));
};
