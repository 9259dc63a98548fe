import {
  type Envelope,
  type Fault,
  fail,
  type MeshHeaders,
  ok,
  type Queue,
  type Result,
  readHeaders,
  type Type,
} from '@foldmesh/envelope';
import type { Decider, Delivery, Entity, Subscription } from '@foldmesh/ports';
import { entityName, type Loaded, unwritten } from './entity-log.ts';
import { isGone } from './gone.ts';
import { handBack, handBackUntilDeadline } from './hand-back.ts';
import { parkAndAck } from './message.ts';
import { openLetter } from './open-letter.ts';
import type { Host, Part } from './service.ts';
import { runtimeLimits } from './settings.ts';
import { type Deciding, type Letter, type Turn, takeTurn } from './turn.ts';

export interface Folding<S, E, T extends Type> extends Omit<Deciding<S, E>, 'decider'> {
  readonly decider: Decider<S, E, T>;
  readonly types: readonly T[];
  /** Those that begin an entity: a fresh one is decided on nothing, unread, and its append says whether that was so. */
  readonly begins?: readonly T[];
  readonly queues: readonly Queue[];
  /**
   * Where replicas share queues out among themselves: resolves when this one is to read the queue, with a signal that aborts when it no
   * longer is.
   */
  readonly turn?: (queue: Queue) => Promise<AbortSignal>;
  /** Whose journal an envelope is for. */
  readonly entityOf: (headers: MeshHeaders) => Entity;
  /**
   * Asked of each envelope before it is decided. A fault sends it back, to be asked again; a refusal says that the entity
   * takes it not on, and is told once the envelope is gone for good. It leaves no trace, so only what has not begun may be
   * refused.
   */
  readonly before?: (
    host: Host,
    entity: Entity,
    envelope: Envelope<T>,
  ) => Promise<Result<Refusal | undefined>>;
  /** Tells whoever waits for an entity that nobody can read any more; the envelopes are done with then. */
  readonly onLost?: (
    host: Host,
    entity: Entity,
    envelopes: readonly Envelope[],
    why: Fault,
  ) => Promise<Result<void>>;
}

/** Tells whoever sent an envelope that nothing comes of it. */
export interface Refusal {
  readonly tell: () => Promise<void>;
}

/** A decider host: reads its queues, and takes one turn after the other for each entity, many entities side by side. */
export const folds =
  <S, E, T extends Type>(folding: Folding<S, E, T>): Part =>
  async (host) => {
    const mail = mailbox(host, folding);
    for (const queue of folding.queues) {
      const subscription = await host.ports.bus.subscribe(queue);
      if (!subscription.ok) return fail(subscription.fault);
      host.nursery.go(() => readQueue(host, subscription.value, mail, () => folding.turn?.(queue)));
    }
    return ok(undefined);
  };

interface Mailbox {
  /** Resolves when there is room for more, with one queue's share of it. */
  room(): Promise<number>;
  put(delivery: Delivery): void;
}

const readQueue = async (
  host: Host,
  subscription: Subscription,
  mail: Mailbox,
  turn: () => Promise<AbortSignal> | undefined,
): Promise<void> => {
  await using reading = subscription;
  while (!host.intake.aborted) {
    const room = await mail.room();
    const over = await turn();
    for (const delivery of await reading.pull(room, over ?? host.intake)) mail.put(delivery);
  }
};

/** Deliveries by entity. One turn at a time for each; what comes meanwhile is decided together in the next. */
const mailbox = <S, E, T extends Type>(host: Host, folding: Folding<S, E, T>): Mailbox => {
  const { groupMax, heldMax } = host.settings;
  const waiting = new Map<string, Delivery[]>();
  const cache = new Map<string, Loaded<S>>();
  let held = 0;
  let wake = Promise.withResolvers<void>();

  const letGo = (count: number): void => {
    held -= count;
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };

  const work = async (name: string, entity: Entity): Promise<void> => {
    for (let batch = waiting.get(name) ?? []; batch.length > 0; batch = waiting.get(name) ?? []) {
      const group = takeGroup(batch, groupMax);
      const loaded = await decideGroup(host, folding, entity, group, cache.get(name));
      keep(cache, name, loaded, folding.decider);
      letGo(group.length);
    }
    waiting.delete(name);
  };

  const setAside = async (delivery: Delivery): Promise<void> => {
    await parkAndAck(host.ports, delivery, 'its headers cannot be read');
    letGo(1);
  };

  return {
    async room() {
      while (held >= heldMax) await wake.promise;
      // All queues wait at once, so each may take only its part.
      const share = Math.ceil((heldMax - held) / folding.queues.length);
      return Math.min(share, groupMax);
    },
    put(delivery) {
      held += 1;
      const entity = entityOfDelivery(folding, delivery);
      if (entity === undefined) return host.nursery.go(() => setAside(delivery));
      const name = entityName(entity);
      const queue = waiting.get(name);
      if (queue !== undefined) {
        queue.push(delivery);
        return;
      }
      waiting.set(name, [delivery]);
      host.nursery.go(() => work(name, entity));
    },
  };
};

const entityOfDelivery = <S, E, T extends Type>(
  { entityOf }: Folding<S, E, T>,
  { headers }: Delivery,
): Entity | undefined => {
  const read = readHeaders(headers);
  return read.ok ? entityOf(read.value) : undefined;
};

/** Takes from the front what one append may hold. */
const takeGroup = (batch: Delivery[], groupMax: number): readonly Delivery[] => {
  let bytes = 0;
  let count = 0;
  for (const { body } of batch) {
    if (count === groupMax || (count > 0 && bytes + body.length > runtimeLimits.groupBytesMax)) break;
    bytes += body.length;
    count += 1;
  }
  return batch.splice(0, count);
};

/** The last used are kept; an ended entity is not. */
const keep = <S>(
  cache: Map<string, Loaded<S>>,
  name: string,
  loaded: Loaded<S> | undefined,
  decider: { ended(state: S): boolean },
): void => {
  cache.delete(name);
  if (loaded === undefined || decider.ended(loaded.state)) return;
  cache.set(name, loaded);
  const [oldest] = cache.keys();
  if (cache.size > runtimeLimits.cachedEntitiesMax && oldest !== undefined) cache.delete(oldest);
};

/** Opens, decides, and deals with each delivery; gives what is known of the entity afterwards, if that can be trusted. */
const decideGroup = async <S, E, T extends Type>(
  host: Host,
  folding: Folding<S, E, T>,
  entity: Entity,
  group: readonly Delivery[],
  known: Loaded<S> | undefined,
): Promise<Loaded<S> | undefined> => {
  const letters: Letter[] = [];
  for (const delivery of group) {
    const letter = await openLetter(host, folding.types, delivery);
    if (letter !== undefined && (await isLetIn(host, folding, entity, letter))) letters.push(letter);
  }
  if (letters.length === 0) return known;
  try {
    const turn = await takeTurn(host, folding, entity, letters, known ?? begun(folding, letters));
    if (turn.ok) return await conclude(host, turn.value);
    const isTold = isGone(turn.fault) ? await tellLost(host, folding, entity, letters, turn.fault) : false;
    if (isTold) return undefined;
    host.ports.log('warn', 'a turn was handed back', {
      entity: entityName(entity),
      fault: turn.fault.detail,
    });
    const { retry_after_ms, detail } = turn.fault;
    await together(letters, (delivery) =>
      retry_after_ms !== undefined
        ? handBack(host.ports, delivery, retry_after_ms)
        : // It will not get better by itself, but another replica may know better, for a while.
          handBackUntilDeadline(host.ports, delivery, () => parkAndAck(host.ports, delivery, detail)),
    );
  } catch (error) {
    // Its journal cannot be read by this build, or a fold broke: another replica may be able to, for a while.
    host.ports.log('error', 'a turn broke', { entity: entityName(entity), error: String(error) });
    await together(letters, (delivery) =>
      handBackUntilDeadline(host.ports, delivery, () =>
        parkAndAck(host.ports, delivery, `its turn broke: ${String(error)}`),
      ),
    );
  }
  return undefined;
};

/** Whether whoever waits for it was told, or will be when these envelopes come again. */
const tellLost = async <S, E, T extends Type>(
  host: Host,
  { onLost }: Folding<S, E, T>,
  entity: Entity,
  letters: readonly Letter[],
  why: Fault,
): Promise<boolean> => {
  if (onLost === undefined) return false;
  host.ports.log('error', 'an entity is lost', { entity: entityName(entity), fault: why.detail });
  const envelopes = letters.map(({ envelope }) => envelope);
  const told = await onLost(host, entity, envelopes, why);
  await together(letters, async (delivery) => {
    if (told.ok) await delivery.ack();
    else await handBack(host.ports, delivery, told.fault.retry_after_ms);
  });
  return true;
};

/** What an entity is before anything is written of it, where its first letter has come for the first time. */
const begun = <S, E, T extends Type>(
  { begins = [], decider }: Folding<S, E, T>,
  letters: readonly Letter[],
): Loaded<S> | undefined => {
  const listed: readonly Type[] = begins;
  const isFirst = ({ envelope, headers, delivery }: Letter): boolean =>
    listed.includes(envelope.type) && headers.attempt === 1 && headers.epoch === 0 && !delivery.redelivered;
  return letters.some(isFirst) ? unwritten(decider) : undefined;
};

const isLetIn = async <S, E, T extends Type>(
  host: Host,
  { before }: Folding<S, E, T>,
  entity: Entity,
  { delivery, envelope }: Letter,
): Promise<boolean> => {
  if (before === undefined) return true;
  const answer = await before(host, entity, envelope as Envelope<T>); // its type is one of those that are listened to
  if (!answer.ok) {
    await handBack(host.ports, delivery, answer.fault.retry_after_ms);
    return false;
  }
  if (answer.value === undefined) return true;
  // Told before it is gone, it might come again, and be taken on after all.
  const acked = await delivery.ack();
  if (acked.ok) await answer.value.tell();
  return false;
};

/** Acks come last: what they answer for is stored, published and known by then. */
const conclude = async <S>(
  host: Host,
  { loaded, decided, parked, later, heard }: Turn<S>,
): Promise<Loaded<S>> => {
  for (const { letter, reason } of parked) await parkAndAck(host.ports, letter.delivery, reason);
  await together(later, (delivery) => handBack(host.ports, delivery, 0));
  await together(decided, async (delivery) => {
    if (heard.ok) await delivery.ack();
    else await handBack(host.ports, delivery, heard.fault.retry_after_ms);
  });
  return loaded;
};

const together = async (
  letters: readonly Letter[],
  each: (delivery: Delivery) => Promise<void>,
): Promise<void> => {
  await Promise.all(letters.map(({ delivery }) => each(delivery)));
};
