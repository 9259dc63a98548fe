import { type Digest, sha256Hex } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { jobDecider } from './decider.ts';
import type { JobEvent } from './events.ts';
import { initialJob, type JobState } from './state.ts';
import { cancel, job, start, submit, tenant } from './testing/envelopes.ts';
import { spec, task } from './testing/specs.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const decider = jobDecider(testCatalogue());
const digest = sha256Hex('gone') as Digest; // 64 hex digits
const { trace_id } = cancel();
const at = start + 60_000;

/** What the job then does by itself, all of it. */
const follow = (state: JobState, now: number): JobEvent[] => {
  const all: JobEvent[] = [];
  for (let owed = decider.follow(state, now); owed.length > 0; owed = decider.follow(state, now))
    for (const event of owed) {
      all.push(event);
      decider.evolve(state, event);
    }
  return all;
};

const lose = (state: JobState, position: number): JobState => {
  const lost = { tenant, job, trace_id, digest, position, detail: 'entry 4: a value is gone' };
  const events = decider.lost?.(state, lost, at) ?? [];
  expect(events.map((event) => decider.isLoss?.(event))).toEqual([true]);
  return events.reduce(decider.evolve, state);
};

/** A job whose first task is out. */
const running = (): JobState => {
  const state = decider
    .decide(initialJob(), submit(spec([task('a'), task('b', { depends_on: ['a'] })])), start)
    .reduce(decider.evolve, initialJob());
  follow(state, start);
  return state;
};

describe('a job that has lost a part of its history', () => {
  it('stops, gives what is out its time, and ends invalid, naming what is gone and since when', () => {
    const state = lose(running(), 40);
    follow(state, at);
    expect([state.status, state.position]).toEqual(['stopping', 41]);
    expect([...decider.next(state)].map(({ draft }) => draft.type)).toEqual(['job.halt']);
    const until = decider.wakeAt(state) ?? 0;
    expect(until).toBeGreaterThan(at);
    expect(follow(state, until)).toMatchObject([
      {
        kind: 'job-failed',
        end_reason: 'invalid',
        fault: { kind: 'invalid', detail: 'what was said from event 3 on is lost: entry 4: a value is gone' },
        receipt: { silent: ['a', 'b'] },
      },
    ]);
    expect(decider.ended(state)).toBe(true);
  });

  it('ends also where its first event is lost with the rest, and halts what may be out, once more at its end', () => {
    const state = lose(initialJob(), 7);
    expect(state).toMatchObject({ status: 'stopping', tenant, job, trace_id, position: 8 });
    // Nothing is known to be out, which does not say that nothing is.
    expect(follow(state, at)).toEqual([]);
    follow(state, decider.wakeAt(state) ?? 0);
    expect(state).toMatchObject({ status: 'failed', end_reason: 'invalid' });
    expect([...decider.next(state)].map(({ draft }) => draft.type)).toEqual(['job.halt']);
  });

  it('that was being cancelled ends cancelled', () => {
    const state = running();
    for (const event of decider.decide(state, cancel(), at - 1_000)) decider.evolve(state, event);
    const lost = lose(state, 40);
    expect(follow(lost, decider.wakeAt(lost) ?? 0).at(-1)).toMatchObject({ kind: 'job-cancelled' });
  });

  it('takes a cancel as the repeat of what it does already', () => {
    expect(decider.decide(lose(running(), 40), cancel(), at)).toEqual([]);
  });
});
