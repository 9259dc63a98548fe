import type { Draft, Envelope, Instant, Json } from '@foldmesh/envelope';
import { copyOf, same, takeTurn } from '@foldmesh/ports/internal';
import type { JobType } from '../decider.ts';
import type { JobEvent } from '../events.ts';
import type { JobState } from '../state.ts';
import { start, submit } from './envelopes.ts';
import type { JobDecider } from './host.ts';

/** What an envelope led to. */
export interface Told {
  /** `decide`, then `follow` until nothing was owed, said exactly these events. */
  thenEvents(...expected: readonly JobEvent[]): Told;
  /** These kinds of events, where their contents are told by other tests. */
  thenKinds(...expected: readonly JobEvent['kind'][]): Told;
  /** Exactly this should now be in flight. */
  thenNext(...expected: readonly Draft[]): Told;
  /** More envelopes, one after the other. */
  when(envelope: Envelope<JobType>, at?: Instant): Told;
  readonly state: JobState;
  readonly events: readonly JobEvent[];
  readonly next: readonly Draft[];
}

/** Begins a story: what has happened so far. */
export type Given = (...events: readonly JobEvent[]) => Told;

export const storyOf =
  (decider: JobDecider): Given =>
  (...events) =>
    told(decider, events.reduce(decider.evolve, decider.initial()), []);

/** All that a job's submit led to, to begin a story after it. */
export const begun = (decider: JobDecider, job: Json): readonly JobEvent[] =>
  storyOf(decider)().when(submit(job)).events;

const told = (decider: JobDecider, given: JobState, events: readonly JobEvent[]): Told => {
  const next = [...decider.next(given)].map(({ draft }) => draft);
  const story: Told = {
    state: given,
    events,
    next,
    thenEvents: (...expected) => same('events', events, expected, story),
    thenKinds: (...expected) =>
      same(
        'kinds of events',
        events.map(({ kind }) => kind),
        expected,
        story,
      ),
    thenNext: (...expected) => same('what should be in flight', next, expected, story),
    when(envelope, at = start) {
      // Told of a copy: a story may be told on in two ways from one point.
      const turn = takeTurn(decider, copyOf(given), [envelope], at);
      return told(decider, turn.state, turn.events);
    },
  };
  return story;
};
