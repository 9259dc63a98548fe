import type { Envelope, Instant } from '@foldmesh/envelope';
import type { Decider, Effect } from '@foldmesh/ports';
import { takeTurn } from '@foldmesh/ports/internal';
import type { JobType } from '../decider.ts';
import type { JobEvent } from '../events.ts';
import type { JobState } from '../state.ts';

export type JobDecider = Decider<JobState, JobEvent, JobType>;

/** One turn: what was appended as one entry, and what became due by it. */
export interface Turn {
  readonly at: Instant;
  readonly events: readonly JobEvent[];
  readonly due: readonly Effect[];
}

/** The fold of a decider host without journal and bus: it keeps the state and says what an entry would hold. */
export interface TestHost {
  readonly state: JobState;
  /** All events so far. */
  readonly log: readonly JobEvent[];
  /** Decides all envelopes, then follows until nothing is owed; the state is changed in place as the real host does. */
  turn(envelopes: readonly Envelope<JobType>[], at: Instant): Turn;
}

export const testHost = (decider: JobDecider): TestHost => {
  let state = decider.initial();
  const log: JobEvent[] = [];
  return {
    get state() {
      return state;
    },
    log,
    turn(envelopes, at) {
      const first = log.length;
      const taken = takeTurn(decider, state, envelopes, at);
      state = taken.state;
      for (const event of taken.events) log.push(event);
      // As in the host: what these events asked, or, if they brought nothing new, all that should be in flight.
      const due = [...decider.next(state, log.length > first ? first : 0)];
      return { at, events: taken.events, due };
    },
  };
};
