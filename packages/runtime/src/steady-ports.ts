import type { Fault, Result } from '@foldmesh/envelope';
import { ok } from '@foldmesh/envelope';
import type { Clock, Delivery, Ports, Subscription } from '@foldmesh/ports';
import { runtimeLimits } from './settings.ts';

/**
 * The same ports, asked again for a moment where they were away or did not answer. All that is asked of them is keyed
 * (a wire id, an expected sequence, an owner, a token, a digest), so asking again is harmless; and without it one lost
 * reply would cost a strike, or would make the outcome of an effect that has just been seen unknown.
 */
export const steadyPorts = (ports: Ports): Ports => {
  const { bus, journal, inbox, blobs, index, dead, clock } = ports;
  const steady = steadyCalls(clock);
  return {
    ...ports,
    bus: {
      publish: steady((message) => bus.publish(message)),
      subscribe: async (queue) => {
        const subscribed = await steady(() => bus.subscribe(queue))();
        return subscribed.ok ? ok(steadySubscription(subscribed.value, steady)) : subscribed;
      },
      standing: steady((queue) => bus.standing(queue)),
      purge: steady((tenant, job) => bus.purge(tenant, job)),
      filled: steady(() => bus.filled()),
      cast: (subject, body) => bus.cast(subject, body),
      listen: (subject, hear) => bus.listen(subject, hear),
    },
    journal: {
      append: steady((wanted) => journal.append(wanted)),
      last: steady((entity) => journal.last(entity)),
      at: steady((entity, seq) => journal.at(entity, seq)),
      read: steady((entity, from, limit) => journal.read(entity, from, limit)),
      follow: (of, from, signal) => journal.follow(of, from, signal),
    },
    inbox: {
      claim: steady((request) => inbox.claim(request)),
      renew: steady((held, leaseMs) => inbox.renew(held, leaseMs)),
      start: steady((held) => inbox.start(held)),
      complete: steady((held, stored, keepUntil) => inbox.complete(held, stored, keepUntil)),
      release: steady((held, made) => inbox.release(held, made)),
      peek: steady((id) => inbox.peek(id)),
      halt: steady((tenant, job, keepUntil) => inbox.halt(tenant, job, keepUntil)),
      generation: steady(() => inbox.generation()),
    },
    blobs: {
      put: steady((tenant, job, bytes) => blobs.put(tenant, job, bytes)),
      get: steady((tenant, job, digest) => blobs.get(tenant, job, digest)),
    },
    index: {
      put: steady((subject, value) => index.put(subject, value)),
      list: steady((prefix) => index.list(prefix)),
    },
    dead: {
      put: steady((letter) => dead.put(letter)),
      list: steady((tenant, job) => dead.list(tenant, job)),
    },
  };
};

type Steady = <A extends readonly unknown[], T>(
  ask: (...given: A) => Promise<Result<T>>,
) => (...given: A) => Promise<Result<T>>;

const steadyCalls =
  (clock: Clock): Steady =>
  (ask) =>
  async (...given) => {
    const until = clock.monotonic() + runtimeLimits.insistMs;
    for (;;) {
      const result = await ask(...given);
      const waitMs = result.ok ? undefined : waitOf(result.fault);
      if (waitMs === undefined || clock.monotonic() + waitMs > until) return result;
      await clock.sleep(waitMs);
    }
  };

/** Only what the world did: a full queue, or a message that is too large, is an answer. */
const waitOf = ({ kind, retry_after_ms }: Fault): number | undefined =>
  kind === 'unavailable' || kind === 'unanswered' ? retry_after_ms : undefined;

const steadySubscription = (subscription: Subscription, steady: Steady): Subscription => ({
  pull: async (max, signal) => {
    const taken = await subscription.pull(max, signal);
    return taken.map((delivery) => steadyDelivery(delivery, steady));
  },
  [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
});

const steadyDelivery = (delivery: Delivery, steady: Steady): Delivery => ({
  subject: delivery.subject,
  headers: delivery.headers,
  body: delivery.body,
  redelivered: delivery.redelivered,
  received_at: delivery.received_at,
  ack: steady(() => delivery.ack()),
  working: steady(() => delivery.working()),
  nak: steady((delayMs) => delivery.nak(delayMs)),
});
