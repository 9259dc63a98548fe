import { virtualClock } from '@foldmesh/embedded';
import { fail, fault, ok } from '@foldmesh/envelope';
import { expect, it } from 'vitest';
import { topologyWatch } from './topology-watch.ts';

/** What a server has, and what it was asked to make. */
const server = () => {
  const state = {
    journal: 'there' as 'there' | 'gone' | 'silent',
    isUp: true,
    missing: [] as string[],
    made: [] as string[],
  };
  return {
    state,
    watched: {
      isUp: () => state.isUp,
      journal: async () => {
        if (state.journal === 'there') return ok(undefined);
        return fail(
          state.journal === 'gone'
            ? fault('unavailable', 'stream not found', { retry_after_ms: 100 })
            : fault('unanswered', 'no answer', { retry_after_ms: 100 }),
        );
      },
      topology: async () => {
        const created = state.missing.splice(0);
        state.made.push(...created);
        return ok({ created });
      },
    },
  };
};

it('makes queues anew that were deleted', async () => {
  const clock = virtualClock();
  const { state, watched } = server();
  await using watch = topologyWatch(watched, clock, () => undefined);
  state.missing.push('MESH_WORK');
  await clock.advance(5_000);
  expect([state.made, watch.problems()]).toEqual([['MESH_WORK'], []]);
});

it('makes nothing where the journal is gone, says so, and goes on when it is restored', async () => {
  const clock = virtualClock();
  const { state, watched } = server();
  await using watch = topologyWatch(watched, clock, () => undefined);
  state.journal = 'gone';
  state.missing.push('MESH_JOURNAL', 'MESH_WORK');
  await clock.advance(5_000);
  expect([state.made, watch.problems()]).toEqual([[], ['stream not found']]);
  state.journal = 'there';
  state.missing = [];
  await clock.advance(1_000);
  expect(watch.problems()).toEqual([]);
});

it('takes no silence for an answer', async () => {
  const clock = virtualClock();
  const { state, watched } = server();
  await using watch = topologyWatch(watched, clock, () => undefined);
  state.journal = 'silent';
  await clock.advance(10_000);
  expect([state.made, watch.problems()]).toEqual([[], []]);
});

it('says nothing of the streams while there is no server to ask', async () => {
  const clock = virtualClock();
  const { state, watched } = server();
  const said: string[] = [];
  await using watch = topologyWatch(watched, clock, (_, text) => void said.push(text));
  state.isUp = false;
  state.journal = 'gone';
  await clock.advance(60_000);
  expect([watch.problems(), said]).toEqual([[], []]);
});
