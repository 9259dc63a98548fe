import { type Key, ok } from '@foldmesh/envelope';
import type { SimulationPorts } from '@foldmesh/worlds';

const unreal = -1;

type Bug = (ports: SimulationPorts) => SimulationPorts;

/** The dedup store forgets what it was told: an outcome is given up instead of kept. */
export const forgetsOutcomes: Bug = (ports) => ({
  ...ports,
  inbox: {
    ...ports.inbox,
    complete: async (held) => {
      await ports.inbox.release(held, 'nothing');
      return ok('held');
    },
  },
});

/** A claim is always won, whoever holds the work and whether or not it is done. */
export const alwaysWins: Bug = (ports) => ({
  ...ports,
  inbox: {
    ...ports.inbox,
    claim: async (request) => {
      const claim = await ports.inbox.claim(request);
      if (!claim.ok || claim.value.kind === 'won') return claim;
      return ok({ kind: 'won', token: unreal, strikes: 0, tries: 0, fresh: true });
    },
    renew: async () => ok('held'),
    start: async () => ok('held'),
    complete: async (held, stored, keepUntil) =>
      held.token === unreal ? ok('held') : ports.inbox.complete(held, stored, keepUntil),
  },
});

/** A message counts as done as soon as it is delivered: whoever dies with it in hand takes it along. */
export const acksAtPull: Bug = (ports) => ({
  ...ports,
  bus: {
    ...ports.bus,
    subscribe: async (queue) => {
      const subscribed = await ports.bus.subscribe(queue);
      if (!subscribed.ok) return subscribed;
      const subscription = subscribed.value;
      return ok({
        pull: async (max, signal) => {
          const taken = await subscription.pull(max, signal);
          for (const delivery of taken) await delivery.ack();
          return taken;
        },
        [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
      });
    },
  },
});

/** An append never looks at what is there: the last writer wins. */
export const appendsBlindly: Bug = (ports) => ({
  ...ports,
  journal: {
    ...ports.journal,
    append: async (append) => {
      const last = await ports.journal.last(append.entity);
      return last.ok ? ports.journal.append({ ...append, expected: last.value?.seq ?? 0 }) : last;
    },
  },
});

/** Facts are not known by their writes: one that is delivered twice is two. */
export const remembersTwice: Bug = (ports) => {
  let writes = 0;
  return {
    ...ports,
    memory: {
      ...ports.memory,
      write: (fact) => {
        writes += 1;
        return ports.memory.write({ ...fact, id: `${fact.id}x${writes}` as Key }); // good enough for a store that asks nothing of it
      },
    },
  };
};

/** A clock that no seed has set: every sleep is a little longer than the one before, also from one history to the next. */
export const sleepsElsewhere = (): Bug => {
  let slept = 0;
  return (ports) => ({
    ...ports,
    clock: {
      ...ports.clock,
      sleep: (ms, signal) => {
        slept += 1;
        return ports.clock.sleep(ms + slept / 10, signal);
      },
    },
  });
};
