import {
  fail,
  fault,
  type Instant,
  invariant,
  ok,
  type Queue,
  type RawHeaders,
  writeHeaders,
} from '@foldmesh/envelope';
import type { Bus, Subscription } from '@foldmesh/ports';
import { coreSubjects } from './core-subjects.ts';
import { deliveryOf } from './delivery.ts';
import { type EmbeddedWorld, portCall, type Stand, standOf, unanswered } from './stand.ts';
import { workStreams } from './work-streams.ts';

/** The bus in memory: at least once, unfenced, and as unreliable as its faults say. */
export const embeddedBus = (world: EmbeddedWorld): Bus => busOn(standOf(world)).port;

const source = 'embedded-bus';

export interface BusStore {
  readonly port: Bus;
  /** Nobody is given anything of this queue until `until`, as when an operator pauses its consumer. */
  pause(queue: Queue, until: Instant): void;
}

export const busOn = (stand: Stand): BusStore => {
  const { dice, settings } = stand;
  const call = portCall(stand, source);
  const core = coreSubjects();
  const streams = workStreams(stand, source);

  const port: Bus = {
    publish: ({ subject, headers, body }) => {
      // As they are now: whoever publishes may use its bytes again at once.
      const raw = Object.freeze(writeHeaders(headers));
      const copy = body.slice();
      return call(() => {
        const weight = weightOf(raw) + copy.length;
        if (weight > settings.messageBytesMax)
          return fail(
            fault('overflow', `the message has ${weight} bytes, the limit is ${settings.messageBytesMax}`, {
              source,
            }),
          );
        const stored = streams.store(subject, headers.id, raw, copy);
        return stored.ok && dice.hits('losePublishReply') ? unanswered(source) : stored;
      });
    },
    subscribe: (queue) => call(() => ok(subscriptionOn(stand, queue, streams))),
    standing: (queue) => call(() => ok(streams.standing(queue))),
    purge: (tenant, job) => call(() => ok(streams.purge(tenant, job))),
    filled: () => call(() => ok({ share: 0, of: 'memory' })),
    cast: (subject, body) => {
      if (!dice.hits('loseCast')) core.cast(subject, body);
    },
    listen: core.listen,
  };
  return { port, pause: (queue, until) => streams.queue(queue).pause(until - stand.clock.now()) };
};

const subscriptionOn = (stand: Stand, of: Queue, streams: ReturnType<typeof workStreams>): Subscription => {
  const call = portCall(stand, source);
  const queue = streams.queue(of);
  const closing = new AbortController();
  return {
    pull: async (max, signal) => {
      invariant(max >= 1, 'pull: it takes at least one');
      const taken = await queue.pull(max, [signal, closing.signal]);
      return taken.map(({ message, redelivered }) =>
        deliveryOf(stand, call, source, { message, queue, redelivered, at: stand.clock.now() }),
      );
    },
    [Symbol.asyncDispose]: async () => closing.abort(),
  };
};

/** Names, values, and what separates them on the wire. */
const weightOf = (headers: RawHeaders): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 12);
