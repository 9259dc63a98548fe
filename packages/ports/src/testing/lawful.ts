import type { Type } from '@foldmesh/envelope';
import type { Decider } from '../decider.ts';

/** A value as it comes back from the journal. */
export const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

/** Fails where a law does not hold, with what was looked at. */
export const law = (holds: boolean, what: string, ...shown: readonly unknown[]): void => {
  if (!holds) throw new Error(`${what}: ${shown.map((value) => JSON.stringify(value)).join(' / ')}`);
};

/**
 * The decider, which at every call proves the laws that all of them are under. `isSame` compares strictly: a field that is
 * there and undefined is not one that is missing.
 */
export const lawful = <State, Event, T extends Type>(
  inner: Decider<State, Event, T>,
  isSame: (one: unknown, other: unknown) => boolean,
): Decider<State, Event, T> => {
  let replayed = inner.initial();
  const ofStateAlone = (state: State, ask: (state: State) => readonly Event[]): readonly Event[] => {
    const events = ask(state);
    law(isSame(ask(frozen(copyOf(state))), events), 'it depends on more than the state');
    return events;
  };
  return {
    ...inner,
    evolve(state, event) {
      const stored: unknown = copyOf(event);
      law(isSame(inner.read(stored), event), 'an event is read back as another', event);
      const next = inner.evolve(state, event);
      // A prefix replayed from the journal, whose state went through the journal too, is the live state (M8).
      replayed = copyOf(inner.evolve(replayed, inner.read(stored)));
      law(isSame(replayed, next), 'the replayed state differs', replayed, next);
      return next;
    },
    decide(state, envelope, at) {
      const events = ofStateAlone(state, (one) => inner.decide(one, frozen(copyOf(envelope)), at));
      const again = inner.decide(events.reduce(inner.evolve, copyOf(state)), envelope, at);
      law(again.length === 0, 'a repeat says something new', envelope, again);
      return events;
    },
    follow: (state, at) => ofStateAlone(state, (one) => inner.follow(one, at)),
    next(state, from) {
      const effects = [...inner.next(state, from)];
      law(isSame([...inner.next(frozen(copyOf(state)), from)], effects), 'next is not of the state');
      return effects;
    },
  };
};
