import {
  type Envelope,
  type Fault,
  fail,
  fault,
  type Instant,
  invariant,
  type MeshHeaders,
  ok,
  type Result,
  type TraceId,
} from '@foldmesh/envelope';
import type { Decider, Delivery, Entity } from '@foldmesh/ports';
import type { Span } from '@opentelemetry/api';
import { entityName, type Loaded, load, loadOrLost } from './entity-log.ts';
import { send } from './send.ts';
import type { Host } from './service.ts';
import { runtimeLimits } from './settings.ts';
import { endSpan, traceparentOf, turnSpan } from './spans.ts';
import { writeEntry } from './write-entry.ts';

/** An envelope with the delivery that brought it. */
export interface Letter {
  readonly delivery: Delivery;
  readonly headers: MeshHeaders;
  readonly envelope: Envelope;
}

/** Whose turn it is, and how it is decided. */
export interface Deciding<S, E> {
  readonly decider: Decider<S, E>;
  readonly traceOf: (state: S) => TraceId | undefined;
  /**
   * Hears of each turn after its append and before its ack, for what is derived, like an index. A fault sends the
   * envelopes back: they are repeats by then, and it is heard again.
   */
  readonly onTurn?: (host: Host, entity: Entity, state: S, events: readonly E[]) => Promise<Result<void>>;
}

export interface Turn<S> {
  readonly loaded: Loaded<S>;
  readonly events: readonly unknown[];
  /** Envelopes that count: appended or repeats, and all that they ask for is published. */
  readonly decided: readonly Letter[];
  /** Envelopes that broke the decider: to be set aside alone. */
  readonly parked: readonly { readonly letter: Letter; readonly reason: string }[];
  /** Envelopes that nobody can tell from a broken one as long as they are decided together: to come again. */
  readonly later: readonly Letter[];
  /** What `onTurn` came to. */
  readonly heard: Result<void>;
}

/**
 * One turn of one entity (design section 3): load, decide all, append once, publish what became due. A crash, a
 * redelivery or a lost publish after the append is this again: `decide` then gives nothing and all of `next` is sent.
 * A fault says that nothing may be acked.
 */
export const takeTurn = async <S, E>(
  host: Host,
  deciding: Deciding<S, E>,
  entity: Entity,
  letters: readonly Letter[],
  known: Loaded<S> | undefined,
): Promise<Result<Turn<S>>> => {
  const [first] = letters;
  invariant(first !== undefined, 'M1: a turn has a letter');
  const loaded = known === undefined ? await read(host, deciding.decider, entity) : ok(known);
  if (!loaded.ok) return loaded;
  const trace_id = deciding.traceOf(loaded.value.state) ?? first.envelope.trace_id;
  const senders = letters.map(({ headers }) => headers.traceparent);
  const span = turnSpan(entityName(entity), first.headers.key, senders, trace_id);
  let error: string | undefined = 'defect';
  try {
    const start = { loaded: loaded.value, isRemembered: known !== undefined };
    const decided = await decideAndAppend(host, deciding.decider, entity, letters, start);
    const turn = decided.ok
      ? await tell(host, deciding, entity, decided.value, { first, trace_id, span })
      : decided;
    error = turn.ok ? undefined : turn.fault.kind;
    return turn;
  } finally {
    endSpan(span, error);
  }
};

/** Where part of its journal is gone, an entity is decided only by a decider that knows what it then owes. */
const read = <S, E>({ ports }: Host, decider: Decider<S, E>, entity: Entity): Promise<Result<Loaded<S>>> =>
  (decider.lost === undefined ? load : loadOrLost)(ports, decider, entity);

interface Decided<S> extends Omit<Turn<S>, 'heard'> {
  /** Effects asked by this event or later are due. */
  readonly from: number;
}

interface Start<S> {
  readonly loaded: Loaded<S>;
  /** From the last turn here, and not read again since. */
  readonly isRemembered: boolean;
}

const decideAndAppend = async <S, E>(
  host: Host,
  decider: Decider<S, E>,
  entity: Entity,
  letters: readonly Letter[],
  start: Start<S>,
): Promise<Result<Decided<S>>> => {
  const parked: Turn<S>['parked'][number][] = [];
  const later: Letter[] = [];
  let decided = letters;
  let given: Loaded<S> | undefined = start.loaded;
  let isRemembered = start.isRemembered;
  for (let conflicts = 0; conflicts < runtimeLimits.conflictsMax; ) {
    const loaded: Result<Loaded<S>> = given === undefined ? await read(host, decider, entity) : ok(given);
    // What `decide` and `evolve` then do to this state happens once: another round starts from the journal.
    given = undefined;
    if (!loaded.ok) return loaded;
    const { position } = loaded.value;
    const at = instantOf(host.ports.clock.now(), loaded.value.at, decided);
    const said = decideAll(decider, loaded.value, decided, at);
    // Only an append proves that what is remembered was the last word: whatever else is concluded from it is asked again.
    if (isRemembered && ('reason' in said || said.events.length === 0)) {
      isRemembered = false;
      continue;
    }
    if ('reason' in said) {
      const { letter, reason, alone } = said;
      if (alone) parked.push({ letter, reason });
      else later.push(...decided.filter((one) => one !== letter));
      decided = alone ? decided.filter((one) => one !== letter) : [letter];
      continue;
    }
    const from = said.repeats ? 0 : position;
    const turn = { events: said.events, decided, parked, later, from };
    if (said.events.length === 0) return ok({ ...turn, loaded: { ...loaded.value, state: said.state } });
    const appended = await append(host, decider, entity, loaded.value, said, decided, at);
    if (!appended.ok) {
      if (appended.fault.kind !== 'unanswered') return appended;
    } else if (appended.value !== 'conflict') return ok({ ...turn, loaded: appended.value });
    // Neither a conflict nor silence proves that somebody else was first: reload, then judge.
    conflicts += 1;
  }
  return fail(
    fault(
      'unavailable',
      `${entityName(entity)}: ${runtimeLimits.conflictsMax} appends in a row met a conflict`,
      { retry_after_ms: 0 },
    ),
  );
};

/** Never before the last entry; and a little after our own clock where a sender's is ahead, or its timers would find us early. */
const instantOf = (now: Instant, last: Instant, letters: readonly Letter[]): Instant => {
  const sent = letters.reduce((latest, { envelope }) => Math.max(latest, envelope.created_at), 0);
  return Math.max(now, last, Math.min(sent, now + runtimeLimits.skewMsMax));
};

interface Said<S> {
  readonly state: S;
  readonly events: readonly unknown[];
  /** Some envelope brought nothing new: what it once asked for may never have been sent. */
  readonly repeats: boolean;
}

/** `alone`: the letter itself broke the decider. Otherwise only deciding it by itself can tell. */
interface Broken {
  readonly letter: Letter;
  readonly reason: string;
  readonly alone: boolean;
}

/** All envelopes, then what the state owes by itself; or the one that breaks it. */
const decideAll = <S, E>(
  decider: Decider<S, E>,
  start: Loaded<S>,
  letters: readonly Letter[],
  at: Instant,
): Said<S> | Broken => {
  let { state } = start;
  let repeats = false;
  const events: E[] = [];
  const fold = (more: readonly E[]): void => {
    for (const event of more) {
      events.push(event);
      state = decider.evolve(state, event);
    }
  };
  const [first, ...others] = letters;
  // All were set aside: nothing was said, so the state as it was owes nothing on their account.
  if (first === undefined) return { state, events: [], repeats: false };
  const { trace_id } = first.envelope;
  if (start.lost !== undefined) fold(decider.lost?.(state, { ...start.lost, trace_id }, at) ?? []);
  for (const letter of letters)
    try {
      const said = decider.decide(state, letter.envelope, at);
      if (said.length === 0) repeats = true;
      fold(said);
    } catch (error) {
      return { letter, reason: `decide threw: ${String(error)}`, alone: true };
    }
  try {
    for (
      let follows = 0, owed = decider.follow(state, at);
      owed.length > 0;
      owed = decider.follow(state, at)
    ) {
      invariant(follows++ < runtimeLimits.followsMax, 'M1: what the state owes never ends');
      fold(owed);
    }
  } catch (error) {
    return { letter: first, reason: `follow threw: ${String(error)}`, alone: others.length === 0 };
  }
  return { state, events, repeats };
};

const append = async <S, E>(
  host: Host,
  decider: Decider<S, E>,
  entity: Entity,
  before: Loaded<S>,
  said: Said<S>,
  letters: readonly Letter[],
  at: Instant,
): Promise<Result<Loaded<S> | 'conflict'>> => {
  const mark = await host.mark.read();
  const written = await writeEntry(host.ports, {
    entity,
    before,
    state: said.state,
    fold: decider.fold,
    events: said.events,
    causes: letters.map(({ headers }) => headers.id),
    at,
    // Without a mark an unsafe effect of this decision is never run on a store that has forgotten it.
    mark,
  });
  if (!written.ok) return written;
  const stored = await host.ports.journal.append(written.value.append);
  if (!stored.ok) return stored;
  return ok(stored.value.kind === 'conflict' ? 'conflict' : written.value.after(stored.value.seq));
};

interface Origin {
  readonly first: Letter;
  readonly trace_id: TraceId;
  readonly span: Span;
}

/** Says what follows from a decision: what became due to the bus, and at the same time what is derived to whoever keeps it. */
const tell = async <S, E>(
  host: Host,
  { decider, onTurn }: Deciding<S, E>,
  entity: Entity,
  decided: Decided<S>,
  origin: Origin,
): Promise<Result<Turn<S>>> => {
  const events = decided.events as readonly E[]; // the decider's own
  const sending = publishDue(host, decider, decided, origin);
  const hearing = onTurn?.(host, entity, decided.loaded.state, events);
  // Both have ended, also where one of them breaks.
  await Promise.allSettled([sending, hearing]);
  const [sent, heard] = [await sending, await hearing];
  return sent.ok ? ok({ ...decided, heard: heard ?? ok(undefined) }) : fail(sent.fault);
};

/** Step 4: at epoch 0, also when it is a repeat; the wire id is then the same and nothing is doubled. */
const publishDue = async <S, E>(
  host: Host,
  decider: Decider<S, E>,
  { loaded, from }: Decided<S>,
  { first, trace_id, span }: Origin,
): Promise<Result<void>> => {
  const traceparent = traceparentOf(span, trace_id, first.headers.traceparent);
  const faults: Fault[] = [];
  let wave: Promise<Result<unknown>>[] = [];
  const landed = async (): Promise<void> => {
    for (const sent of await Promise.all(wave)) if (!sent.ok) faults.push(sent.fault);
    wave = [];
  };
  // What cannot be sent at all must not keep the rest back; a bus that is away would refuse them all.
  const isAway = ({ retry_after_ms }: Fault): boolean => retry_after_ms !== undefined;
  for (const { draft, asked_at } of decider.next(loaded.state, from)) {
    const at = host.ports.clock.now();
    const causation_id = first.headers.id;
    const stamp = { sender: host.party, at, since: asked_at, epoch: 0, trace_id, traceparent, causation_id };
    wave.push(send(host.ports, draft, stamp));
    if (wave.length < runtimeLimits.publishesMax) continue;
    await landed();
    if (faults.some(isAway)) break;
  }
  await landed();
  const worst = faults.find(isAway) ?? faults[0];
  return worst === undefined ? ok(undefined) : fail(worst);
};
