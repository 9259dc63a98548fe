import { ok } from '@foldmesh/envelope';
import type { DeadLetter, DeadLetters } from '@foldmesh/ports';
import { type EmbeddedWorld, portCall, type Stand, standOf } from './stand.ts';

/** Dead letters in memory, the first of each id, in the order of their coming. */
export const embeddedDeadLetters = (world: EmbeddedWorld): DeadLetters => deadLettersOn(standOf(world));

export const deadLettersOn = (stand: Stand): DeadLetters => {
  const call = portCall(stand, 'embedded-dead-letters');
  const letters = new Map<string, DeadLetter>();
  return {
    put: (letter) => {
      const copy = copyOf(letter);
      return call(() => {
        const name = `${letter.tenant}/${letter.job}/${letter.id}`;
        if (!letters.has(name)) {
          letters.set(name, copy);
          stand.watch.parked(copy);
        }
        return ok(undefined);
      });
    },
    list: (tenant, job) =>
      call(() => ok([...letters.values()].filter((letter) => isOf(letter, tenant, job)).map(copyOf))),
  };
};

const isOf = (letter: DeadLetter, tenant: string | undefined, job: string | undefined): boolean =>
  (tenant === undefined || letter.tenant === tenant) && (job === undefined || letter.job === job);

const copyOf = (letter: DeadLetter): DeadLetter => ({
  ...letter,
  headers: { ...letter.headers },
  body: letter.body.slice(),
});
