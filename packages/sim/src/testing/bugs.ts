import { ok } from '@foldmesh/envelope';
import type { SimulationPorts } from '@foldmesh/worlds';

const unreal = -1;

type Bug = (ports: SimulationPorts) => SimulationPorts;

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
