import { digestOf, fail, fault, ok, type Queue, type Result, type Sealed } from '@foldmesh/envelope';
import type { Appended, DeadLetter, Delivery, Entity, Ports, Recorded } from '@foldmesh/ports';
import { type HandClock, handClock } from './hand-clock.ts';

/** Ports that remember what was asked of them, and answer what a test has planned; else they simply work. */
export interface FakePorts {
  readonly ports: Ports;
  readonly clock: HandClock;
  /** Every call by name, like `inbox.claim`, and what it was given. */
  readonly calls: readonly Asked[];
  readonly published: readonly Sealed[];
  readonly letters: readonly DeadLetter[];
  readonly lines: readonly string[];
  /** Plans the next answers to a call, in order; a function is asked when its turn has come. */
  answer(call: string, ...answers: readonly Answer[]): void;
  /** What was given to each call of this name. */
  given(call: string): readonly (readonly unknown[])[];
  /** Lays deliveries before whoever pulls from this queue next. */
  feed(queue: Queue, ...deliveries: readonly Delivery[]): void;
  /** How many of those nobody has pulled. */
  left(queue: Queue): number;
  /** How many listen for core messages. */
  listeners(): number;
  /** What `listen` has been given so far hears this. */
  say(subject: string, body?: Uint8Array): void;
}

interface Asked {
  readonly call: string;
  readonly given: readonly unknown[];
}

export type Answer = Result<unknown> | (() => Promise<Result<unknown>>);

export const fakePorts = (): FakePorts => {
  const clock = handClock();
  const calls: Asked[] = [];
  const planned = new Map<string, Answer[]>();
  const lines: string[] = [];
  const asked = asking(calls, planned);
  const bus = fakeBus(asked);
  const letters: DeadLetter[] = [];
  return {
    ports: {
      clock,
      random: { float: () => 0.5, hex: (bytes) => 'ab'.repeat(bytes) },
      log: (level, message, fields) => void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
      bus: bus.port,
      journal: fakeJournal(asked),
      inbox: fakeInbox(asked),
      ...fakeStores(asked),
      dead: {
        put: (letter) => asked('dead.put', [letter], () => ok(void letters.push(letter))),
        list: () => asked('dead.list', [], () => ok([...letters])),
      },
    },
    clock,
    calls,
    published: bus.published,
    letters,
    lines,
    answer: (call, ...answers) => void planned.set(call, [...(planned.get(call) ?? []), ...answers]),
    given: (call) => calls.filter((one) => one.call === call).map(({ given }) => given),
    feed: bus.feed,
    left: bus.left,
    listeners: bus.listeners,
    say: bus.say,
  };
};

type Ask = <T>(call: string, given: readonly unknown[], works: () => Result<T>) => Promise<Result<T>>;

const asking =
  (calls: Asked[], planned: Map<string, Answer[]>): Ask =>
  async <T>(call: string, given: readonly unknown[], works: () => Result<T>) => {
    calls.push({ call, given });
    const next = planned.get(call)?.shift();
    if (next === undefined) return works();
    return (typeof next === 'function' ? await next() : next) as Result<T>; // what the test has planned for this call
  };

const fakeBus = (asked: Ask) => {
  const published: Sealed[] = [];
  const waiting = new Map<string, Delivery[]>();
  const pulls = new Map<string, () => void>();
  const ears = new Set<(body: Uint8Array, subject: string) => void>();
  const nameOf = ({ service, pool, lane }: Queue): string => `${service}/${pool}/${lane}`;

  const pull = async (name: string, max: number, signal: AbortSignal): Promise<readonly Delivery[]> => {
    const come = Promise.withResolvers<void>();
    pulls.set(name, come.resolve);
    signal.addEventListener('abort', () => come.resolve(), { once: true });
    if ((waiting.get(name) ?? []).length === 0 && !signal.aborted) await come.promise;
    pulls.delete(name);
    return signal.aborted ? [] : (waiting.get(name) ?? []).splice(0, max);
  };

  const port: Ports['bus'] = {
    publish: (message) =>
      asked('bus.publish', [message], () => {
        published.push(message);
        return ok({ duplicate: false });
      }),
    subscribe: (queue) =>
      asked('bus.subscribe', [queue], () =>
        ok({
          pull: (max, signal) => pull(nameOf(queue), max, signal),
          [Symbol.asyncDispose]: async () =>
            void (await asked('subscription.close', [queue], () => ok(undefined))),
        }),
      ),
    standing: (queue) =>
      asked('bus.standing', [queue], () => ok({ waiting: 0, in_hand: 0, pulls: 0, place: nameOf(queue) })),
    filled: () => asked('bus.filled', [], () => ok({ share: 0, of: 'none' })),
    purge: (tenant, job) => asked('bus.purge', [tenant, job], () => ok(0)),
    cast: (subject, body) => void asked('bus.cast', [subject, body], () => ok(undefined)),
    listen: (_, hear) => {
      ears.add(hear);
      return { [Symbol.asyncDispose]: async () => void ears.delete(hear) };
    },
  };
  return {
    port,
    published,
    feed(queue: Queue, ...deliveries: readonly Delivery[]) {
      const name = nameOf(queue);
      waiting.set(name, [...(waiting.get(name) ?? []), ...deliveries]);
      pulls.get(name)?.();
    },
    left: (queue: Queue) => (waiting.get(nameOf(queue)) ?? []).length,
    listeners: () => ears.size,
    say(subject: string, body = new Uint8Array()) {
      for (const hear of ears) hear(body, subject);
    },
  };
};

const fakeJournal = (asked: Ask): Ports['journal'] => {
  const entries = new Map<string, Recorded[]>();
  let seq = 0;
  const nameOf = ({ tenant, job, run }: Entity): string =>
    `${tenant}/${job}/${run?.task ?? ''}/${run?.round ?? ''}`;
  const of = (entity: Entity): readonly Recorded[] => entries.get(nameOf(entity)) ?? [];
  return {
    append: (wanted) =>
      asked('journal.append', [wanted], (): Result<Appended> => {
        if ((of(wanted.entity).at(-1)?.seq ?? 0) !== wanted.expected) return ok({ kind: 'conflict' });
        seq += 1;
        const recorded = { entity: wanted.entity, seq, entry: wanted.entry.slice() };
        entries.set(nameOf(wanted.entity), [...of(wanted.entity), recorded]);
        return ok({ kind: 'stored', seq });
      }),
    last: (entity) => asked('journal.last', [entity], () => ok(of(entity).at(-1))),
    at: (entity, at) => asked('journal.at', [entity, at], () => ok(of(entity).find((one) => one.seq === at))),
    read: (entity, from, limit) =>
      asked('journal.read', [entity, from, limit], () =>
        ok(
          of(entity)
            .filter((one) => one.seq >= from)
            .slice(0, limit),
        ),
      ),
    async *follow(entity, from) {
      yield* of(entity).filter((one) => one.seq >= from);
    },
  };
};

const fakeInbox = (asked: Ask): Ports['inbox'] => {
  let token = 0;
  const held = () => ok('held' as const);
  return {
    claim: (request) =>
      asked('inbox.claim', [request], () =>
        ok({ kind: 'won', token: ++token, strikes: 0, tries: 0, fresh: true }),
      ),
    renew: (claim, leaseMs) => asked('inbox.renew', [claim, leaseMs], held),
    start: (claim) => asked('inbox.start', [claim], held),
    complete: (claim, stored, until) => asked('inbox.complete', [claim, stored, until], held),
    release: (claim, made) => asked('inbox.release', [claim, made], held),
    peek: (id) => asked('inbox.peek', [id], () => ok(undefined)),
    halt: (tenant, job, until) => asked('inbox.halt', [tenant, job, until], () => ok(undefined)),
    generation: () => asked('inbox.generation', [], () => ok('mark-1')),
  };
};

const fakeStores = (asked: Ask): Pick<Ports, 'blobs' | 'index'> => {
  const blobs = new Map<string, Uint8Array>();
  const index = new Map<string, Parameters<Ports['index']['put']>[1]>();
  return {
    blobs: {
      put: (tenant, job, bytes) =>
        asked('blobs.put', [tenant, job, bytes], () => {
          const digest = digestOf(bytes);
          blobs.set(`${tenant}/${job}/${digest}`, bytes.slice());
          return ok({ digest, bytes: bytes.length });
        }),
      get: (tenant, job, digest) =>
        asked('blobs.get', [tenant, job, digest], () => {
          const bytes = blobs.get(`${tenant}/${job}/${digest}`);
          return bytes === undefined
            ? fail(fault('invalid', `job ${job} has no blob ${digest}`))
            : ok(bytes.slice());
        }),
    },
    index: {
      put: (subject, value) => asked('index.put', [subject, value], () => ok(void index.set(subject, value))),
      list: (prefix) =>
        asked('index.list', [prefix], () =>
          ok(
            [...index]
              .filter(([subject]) => subject.startsWith(prefix))
              .map(([subject, value]) => ({ subject, value })),
          ),
        ),
    },
  };
};
