import { jobDecider } from '@foldmesh/job';
import { begun, cancel, spec, storyOf, task, testCatalogue, timer } from '@foldmesh/job/internal';
import { describe, expect, it } from 'vitest';
import { IndexedJob, indexedJob } from './live-jobs.ts';

const decider = jobDecider(testCatalogue());
const story = storyOf(decider)(...begun(decider, spec([task('a')], { budget: { wall_ms: 60_000 } })));

describe('what the index says of a job', () => {
  it('is what timers, sweep and lists need: its position, when it wakes, since when something is out, what it waits for', () => {
    const { state } = story;
    expect(indexedJob(state)).toEqual({
      status: 'running',
      name: 'a-job',
      ended: false,
      created_at: state.accepted_at,
      position: state.position,
      wake_at: state.deadline,
      asked_at: state.accepted_at,
      trace_id: state.trace_id,
      wait: { reason: 'call', since: state.accepted_at, on: 'a' },
    });
    expect(IndexedJob.parse(JSON.parse(JSON.stringify(indexedJob(state))))).toEqual(indexedJob(state));
  });

  it('of one that stops is since when it does, and when it will have stopped', () => {
    const stopping = story.when(cancel(), 1_010_000);
    expect(indexedJob(stopping.state)).toMatchObject({
      status: 'stopping',
      asked_at: 1_010_000,
      wake_at: 1_015_000,
    });
  });

  it('of one that has ended is only that', () => {
    const ended = story.when(cancel(), 1_010_000).when(timer(1_015_000), 1_015_000);
    const indexed = indexedJob(ended.state);
    expect(indexed).toMatchObject({ status: 'cancelled', ended: true });
    expect(indexed).not.toHaveProperty('wake_at');
    expect(indexed).not.toHaveProperty('asked_at');
    expect(indexed).not.toHaveProperty('wait');
  });
});
