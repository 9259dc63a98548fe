import type { Envelope, Instant, Type } from '@foldmesh/envelope';
import type { Decider } from '../decider.ts';

/** What one turn made of an entity. */
export interface Taken<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
}

/** One turn as the host takes it: all envelopes decided, then what the state owes until it owes nothing. `given` is used up. */
export const takeTurn = <State, Event, T extends Type>(
  decider: Pick<Decider<State, Event, T>, 'decide' | 'evolve' | 'follow'>,
  given: State,
  envelopes: readonly Envelope<T>[],
  at: Instant,
): Taken<State, Event> => {
  let state = given;
  const events: Event[] = [];
  const apply = (said: readonly Event[]): void => {
    for (const event of said) {
      state = decider.evolve(state, event);
      events.push(event);
    }
  };
  for (const envelope of envelopes) apply(decider.decide(state, envelope, at));
  for (let owed = decider.follow(state, at); owed.length > 0; owed = decider.follow(state, at)) apply(owed);
  return { state, events };
};
