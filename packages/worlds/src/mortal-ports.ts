import { ok, type Result } from '@foldmesh/envelope';
import type { Delivery, Memory, Model, Ports, Subscription } from '@foldmesh/ports';
import type { Life } from './life.ts';

type WithMemory = Ports & { readonly memory: Memory };

/** The ports of one incarnation: every await of a service ends in one, so this is where it can be cut off or held up. */
export const mortalPorts = (life: Life, ports: WithMemory): WithMemory => {
  const { bus, journal, inbox, blobs, index, dead, memory, clock, random, log } = ports;
  const cut = cutting(life);
  return {
    random,
    log: (level, message, fields) => log(level, message, { ...fields, service: life.name }),
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: cut('clock.sleep', (ms, signal) => clock.sleep(ms, signal)),
    },
    bus: {
      publish: cut('bus.publish', (message) => bus.publish(message)),
      subscribe: async (queue) => {
        const subscribed = await cut('bus.subscribe', () => bus.subscribe(queue))();
        return subscribed.ok ? ok(mortalSubscription(life, subscribed.value)) : subscribed;
      },
      backlog: cut('bus.backlog', (queue) => bus.backlog(queue)),
      purge: cut('bus.purge', (tenant, job) => bus.purge(tenant, job)),
      filled: cut('bus.filled', () => bus.filled()),
      cast(subject, body) {
        if (!life.isDead()) bus.cast(subject, body);
      },
      listen: (subject, hear) => bus.listen(subject, (body, on) => life.letIn(() => hear(body, on))),
    },
    journal: {
      append: cut('journal.append', (wanted) => journal.append(wanted)),
      last: cut('journal.last', (entity) => journal.last(entity)),
      at: cut('journal.at', (entity, seq) => journal.at(entity, seq)),
      read: cut('journal.read', (entity, from, limit) => journal.read(entity, from, limit)),
      follow: (of, from, signal) => journal.follow(of, from, signal),
    },
    inbox: {
      claim: cut('inbox.claim', (request) => inbox.claim(request)),
      renew: cut('inbox.renew', (held, leaseMs) => inbox.renew(held, leaseMs)),
      start: cut('inbox.start', (held) => inbox.start(held)),
      complete: cut('inbox.complete', (held, stored, until) => inbox.complete(held, stored, until)),
      release: cut('inbox.release', (held, made) => inbox.release(held, made)),
      peek: cut('inbox.peek', (id) => inbox.peek(id)),
      halt: cut('inbox.halt', (tenant, job, until) => inbox.halt(tenant, job, until)),
      generation: cut('inbox.generation', () => inbox.generation()),
    },
    blobs: {
      put: cut('blobs.put', (tenant, job, bytes) => blobs.put(tenant, job, bytes)),
      get: cut('blobs.get', (tenant, job, digest) => blobs.get(tenant, job, digest)),
    },
    index: {
      put: cut('index.put', (subject, value) => index.put(subject, value)),
      list: cut('index.list', (prefix) => index.list(prefix)),
    },
    dead: {
      put: cut('dead.put', (letter) => dead.put(letter)),
      list: cut('dead.list', (tenant, job) => dead.list(tenant, job)),
    },
    memory: {
      write: cut('memory.write', (fact) => memory.write(fact)),
      query: cut('memory.query', (query) => memory.query(query)),
    },
  };
};

/** A model as one incarnation reaches it. */
export const mortalModel = (life: Life, model: Model): Model => ({
  reply: cutting(life)('model.reply', (request, signal) => model.reply(request, signal)),
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

const mortalSubscription = (life: Life, subscription: Subscription): Subscription => {
  const cut = cutting(life);
  return {
    pull: async (max, signal) => {
      const taken = await cut('subscription.pull', () => subscription.pull(max, signal))();
      return taken.map((delivery) => mortalDelivery(life, delivery));
    },
    [Symbol.asyncDispose]: cut('subscription.close', async () => subscription[Symbol.asyncDispose]()),
  };
};

const mortalDelivery = (life: Life, delivery: Delivery): Delivery => {
  const call = (name: string, given: readonly unknown[], work: () => Promise<Result<void>>) =>
    life.through(name, [delivery.headers, ...given], work);
  return {
    ...delivery,
    ack: () => call('delivery.ack', [], () => delivery.ack()),
    working: () => call('delivery.working', [], () => delivery.working()),
    nak: (delayMs) => call('delivery.nak', [delayMs], () => delivery.nak(delayMs)),
  };
};
