import { canonicalJson, type Draft, type Instant } from '@foldmesh/envelope';
import type { Decider } from '@foldmesh/ports';
import type { RunType } from '../decider.ts';
import type { RunEvent } from '../events.ts';
import type { RunState, RunStatus } from '../state.ts';
import { type Mail, start } from './envelopes.ts';

export type RunDecider = Decider<RunState, RunEvent, RunType>;

/** A story that went otherwise than told; test runners show the difference between its two fields. */
export class OtherStory extends Error {
  override readonly name = 'OtherStory';
  readonly actual: unknown;
  readonly expected: unknown;

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message);
    this.actual = actual;
    this.expected = expected;
  }
}

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
      const copy: RunState = JSON.parse(JSON.stringify(given));
      const turn = takeTurn(decider, copy, [mail(copy)], at);
      return told(decider, turn.state, turn.events, [...journal, ...turn.events]);
    },
  };
  return story;
};

/** One turn as the host takes it: all envelopes decided, then what the state owes until it owes nothing. */
export const takeTurn = (
  decider: RunDecider,
  given: RunState,
  envelopes: readonly ReturnType<Mail>[],
  at: Instant,
): { readonly state: RunState; readonly events: readonly RunEvent[] } => {
  let state = given;
  const events: RunEvent[] = [];
  const apply = (said: readonly RunEvent[]): void => {
    for (const event of said) state = decider.evolve(state, event);
    events.push(...said);
  };
  for (const envelope of envelopes) apply(decider.decide(state, envelope, at));
  for (let owed = decider.follow(state, at); owed.length > 0; owed = decider.follow(state, at)) apply(owed);
  return { state, events };
};

const same = (what: string, actual: unknown, expected: unknown, story: Told): Told => {
  if (canonicalJson(actual) !== canonicalJson(expected))
    throw new OtherStory(`other ${what} than told`, actual, expected);
  return story;
};
