import type { Draft, Instant } from '@foldmesh/envelope';
import type { Decider } from '@foldmesh/ports';
import { copyOf, same, takeTurn } from '@foldmesh/ports/internal';
import type { RunType } from '../decider.ts';
import type { RunEvent } from '../events.ts';
import type { RunState, RunStatus } from '../state.ts';
import { type Mail, start } from './envelopes.ts';

export type RunDecider = Decider<RunState, RunEvent, RunType>;

/** What an envelope led to. */
export interface Told {
  /** `decide`, then `follow` until nothing was owed, said exactly these events. */
  thenEvents(...expected: readonly RunEvent[]): Told;
  /** These kinds of events, where their contents are told by other tests. */
  thenKinds(...expected: readonly RunEvent['kind'][]): Told;
  /** Exactly this should now be in flight. */
  thenNext(...expected: readonly Draft[]): Told;
  /** Of these types is what should now be in flight. */
  thenAsks(...expected: readonly Draft['type'][]): Told;
  thenStatus(expected: RunStatus): Told;
  /** More mail, which arrives at `at`. */
  when(mail: Mail, at?: Instant): Told;
  readonly state: RunState;
  /** What the last mail led to. */
  readonly events: readonly RunEvent[];
  /** All events of the story that were told by mail. */
  readonly journal: readonly RunEvent[];
  readonly next: readonly Draft[];
}

/** Begins a story: what has happened so far. */
export type Given = (...events: readonly RunEvent[]) => Told;

export const storyOf =
  (decider: RunDecider): Given =>
  (...events) =>
    told(decider, events.reduce(decider.evolve, decider.initial()), [], events);

const told = (
  decider: RunDecider,
  given: RunState,
  events: readonly RunEvent[],
  journal: readonly RunEvent[],
): Told => {
  const next = [...decider.next(given)].map(({ draft }) => draft);
  const kindsOf = (all: readonly { readonly kind: string }[]) => all.map(({ kind }) => kind);
  const story: Told = {
    state: given,
    events,
    journal,
    next,
    thenEvents: (...expected) => same('events', events, expected, story),
    thenKinds: (...expected) => same('kinds of events', kindsOf(events), expected, story),
    thenNext: (...expected) => same('what should be in flight', next, expected, story),
    thenAsks: (...expected) =>
      same(
        'types in flight',
        next.map(({ type }) => type),
        expected,
        story,
      ),
    thenStatus: (expected) => same('status', given.status, expected, story),
    when(mail, at = start) {
      // Told of a copy that went through JSON: a story may be told on in two ways, and a run may wait in its journal.
      const copy = copyOf(given);
      const turn = takeTurn(decider, copy, [mail(copy)], at);
      return told(decider, turn.state, turn.events, [...journal, ...turn.events]);
    },
  };
  return story;
};
