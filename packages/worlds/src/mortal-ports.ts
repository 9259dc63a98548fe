import { ok, type Result } from '@foldmesh/envelope';
import type { Delivery, Memory, Model, Ports, Subscription } from '@foldmesh/ports';
import type { Life } from './life.ts';
import { closeBy, type Reach } from './reach.ts';

type WithMemory = Ports & { readonly memory: Memory };

/** The ports of one incarnation: every await of a service ends in one, so this is where it can be cut off or held up. */
export const mortalPorts = (life: Life, ports: WithMemory, reach: Reach = closeBy): WithMemory => {
  const { bus, journal, inbox, blobs, index, dead, memory, clock, random, log } = ports;
  const ask = asking(life, reach);
  return {
    random,
    log: (level, message, fields) => log(level, message, { ...fields, service: life.name }),
    clock: {
      now: () => clock.now() + reach.ahead(),
      monotonic: () => clock.monotonic(),
      sleep: cutting(life)('clock.sleep', (ms, signal) => clock.sleep(ms, signal)),
    },
    bus: {
      publish: ask('bus.publish', (message) => bus.publish(message)),
      subscribe: async (queue) => {
        const subscribed = await ask('bus.subscribe', () => bus.subscribe(queue))();
        return subscribed.ok ? ok(mortalSubscription(life, reach, subscribed.value)) : subscribed;
      },
      standing: ask('bus.standing', (queue) => bus.standing(queue)),
      purge: ask('bus.purge', (tenant, job) => bus.purge(tenant, job)),
      filled: ask('bus.filled', () => bus.filled()),
      cast(subject, body) {
        if (!life.isDead() && reach.hears('bus')) bus.cast(subject, body);
      },
      listen: (subject, hear) =>
        bus.listen(subject, (body, on) => {
          if (reach.hears('bus')) life.letIn(() => hear(body, on));
        }),
    },
    journal: {
      append: ask('journal.append', (wanted) => journal.append(wanted)),
      last: ask('journal.last', (entity) => journal.last(entity)),
      at: ask('journal.at', (entity, seq) => journal.at(entity, seq)),
      read: ask('journal.read', (entity, from, limit) => journal.read(entity, from, limit)),
      follow: (of, from, signal) => journal.follow(of, from, signal),
    },
    inbox: {
      claim: ask('inbox.claim', (request) => inbox.claim(request)),
      renew: ask('inbox.renew', (held, leaseMs) => inbox.renew(held, leaseMs)),
      start: ask('inbox.start', (held) => inbox.start(held)),
      complete: ask('inbox.complete', (held, stored, until) => inbox.complete(held, stored, until)),
      release: ask('inbox.release', (held, made) => inbox.release(held, made)),
      peek: ask('inbox.peek', (id) => inbox.peek(id)),
      halt: ask('inbox.halt', (tenant, job, until) => inbox.halt(tenant, job, until)),
      generation: ask('inbox.generation', () => inbox.generation()),
    },
    blobs: {
      put: ask('blobs.put', (tenant, job, bytes) => blobs.put(tenant, job, bytes)),
      get: ask('blobs.get', (tenant, job, digest) => blobs.get(tenant, job, digest)),
    },
    index: {
      put: ask('index.put', (subject, value) => index.put(subject, value)),
      list: ask('index.list', (prefix) => index.list(prefix)),
    },
    dead: {
      put: ask('dead.put', (letter) => dead.put(letter)),
      list: ask('dead.list', (tenant, job) => dead.list(tenant, job)),
    },
    memory: {
      write: ask('memory.write', (fact) => memory.write(fact)),
      query: ask('memory.query', (query) => memory.query(query)),
    },
  };
};

/** A model as one incarnation reaches it. */
export const mortalModel = (life: Life, model: Model): Model => ({
  reply: cutting(life)('model.reply', (request, signal, hear) => model.reply(request, signal, hear)),
});

type Cut = <A extends readonly unknown[], T>(
  call: string,
  work: (...given: A) => Promise<T>,
) => (...given: A) => Promise<T>;

const cutting =
  (life: Life): Cut =>
  (call, work) =>
  (...given) =>
    life.through(call, given, () => work(...given));

type Ask = <A extends readonly unknown[], T>(
  call: string,
  work: (...given: A) => Promise<Result<T>>,
) => (...given: A) => Promise<Result<T>>;

const asking =
  (life: Life, reach: Reach): Ask =>
  (call, work) =>
  (...given) =>
    life.through(call, given, () => reach.ask(call, () => work(...given)));

const mortalSubscription = (life: Life, reach: Reach, subscription: Subscription): Subscription => {
  const cut = cutting(life);
  const pulled = async (max: number, signal: AbortSignal): Promise<readonly Delivery[]> => {
    for (;;) {
      await reach.hearsAgain('bus', signal);
      const taken = await subscription.pull(max, signal);
      // What is on its way when the link is cut never comes: the broker waits for an ack of it in vain.
      if (taken.length === 0 || reach.hears('bus')) return taken;
    }
  };
  return {
    pull: async (max, signal) => {
      const taken = await cut('subscription.pull', () => pulled(max, signal))();
      return taken.map((delivery) => mortalDelivery(life, reach, delivery));
    },
    [Symbol.asyncDispose]: cut('subscription.close', async () => subscription[Symbol.asyncDispose]()),
  };
};

const mortalDelivery = (life: Life, reach: Reach, delivery: Delivery): Delivery => {
  const call = (name: string, given: readonly unknown[], work: () => Promise<Result<void>>) =>
    life.through(name, [delivery.headers, ...given], () => reach.ask(`bus.${name}`, work));
  return {
    ...delivery,
    received_at: delivery.received_at + reach.ahead(),
    ack: () => call('delivery.ack', [], () => delivery.ack()),
    working: () => call('delivery.working', [], () => delivery.working()),
    nak: (delayMs) => call('delivery.nak', [delayMs], () => delivery.nak(delayMs)),
  };
};
