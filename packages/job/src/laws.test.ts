import { isDeepStrictEqual } from 'node:util';
import type { Envelope, Instant } from '@foldmesh/envelope';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JobType, jobDecider } from './decider.ts';
import { type JobEvent, readJobEvent } from './events.ts';
import type { JobState } from './state.ts';
import { choices } from './testing/choices.ts';
import type { JobDecider } from './testing/host.ts';
import { randomSpec } from './testing/random-plan.ts';
import { randomRun } from './testing/random-run.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const tapes = fc.noBias(fc.array(fc.nat(9_999), { maxLength: 1_500, size: 'max' }));
/** To see a failing tape shrunk, take `endOnFailure` off: that may take minutes. */
const runs = { numRuns: 120, seed: 20_260, endOnFailure: true };

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

const law = (holds: boolean, what: string, ...shown: readonly unknown[]): void => {
  if (!holds) expect.fail(`${what}: ${shown.map((value) => JSON.stringify(value)).join(' / ')}`);
};

const folded = (decider: JobDecider, state: JobState, events: readonly JobEvent[]): JobState =>
  events.reduce(decider.evolve, copyOf(state));

/** The decider, which at every call proves the laws it is under. */
const lawful = (inner: JobDecider): JobDecider => {
  let replayed = inner.initial();
  const sameOfCopy = (
    state: JobState,
    ask: (state: JobState) => readonly JobEvent[],
  ): readonly JobEvent[] => {
    const events = ask(state);
    law(isDeepStrictEqual(ask(frozen(copyOf(state))), events), 'it depends on more than the state');
    return events;
  };
  return {
    ...inner,
    evolve(state, event) {
      const stored: unknown = copyOf(event);
      law(isDeepStrictEqual(readJobEvent(stored), event), 'an event is read back as another', event);
      const next = inner.evolve(state, event);
      // A prefix replayed from the journal, whose state went through the journal too, is the live state (M8).
      replayed = copyOf(inner.evolve(replayed, readJobEvent(stored)));
      law(isDeepStrictEqual(replayed, next), 'the replayed state differs', replayed, next);
      return next;
    },
    decide(state: JobState, envelope: Envelope<JobType>, at: Instant) {
      const events = sameOfCopy(state, (one) => inner.decide(one, frozen(copyOf(envelope)), at));
      const again = inner.decide(folded(inner, state, events), envelope, at);
      law(again.length === 0, 'a repeat says something new', envelope, again);
      return events;
    },
    follow: (state, at) => sameOfCopy(state, (one) => inner.follow(one, at)),
    next(state, from) {
      const drafts = [...inner.next(state, from)];
      law(
        isDeepStrictEqual([...inner.next(frozen(copyOf(state)), from)], drafts),
        'next is not of the state',
      );
      return drafts;
    },
  };
};

test('deciding again what was decided says nothing, and neither decide, follow nor next changes the state', {
  timeout: 60_000,
}, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(tapes, (tape) => {
      const draw = choices(tape);
      const decider = lawful(jobDecider(testCatalogue()));
      randomRun(decider, randomSpec(draw), draw, (host, turn) => {
        for (const { kind } of turn.events) seen.add(kind);
        law(decider.follow(host.state, turn.at).length === 0, 'follow owes something at its end');
      });
    }),
    runs,
  );
  // A law that is proved of a job to which nothing happens is proved of nothing.
  expect([...seen].toSorted()).toEqual(
    [
      'assignment-ended',
      'job-accepted',
      'job-cancelled',
      'job-completed',
      'job-failed',
      'job-stopping',
      'plan-decided',
      'task-completed',
      'task-expanded',
      'task-failed',
      'task-joined',
      'task-refused',
      'task-stopped',
      'task-unknown',
      'tasks-assigned',
      'tasks-cancelled',
      'tasks-retried',
      'tasks-skipped',
    ].toSorted(),
  );
});
