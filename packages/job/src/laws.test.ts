import { isDeepStrictEqual } from 'node:util';
import { choices, law, lawful } from '@foldmesh/ports/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobDecider } from './decider.ts';
import { randomSpec } from './testing/random-plan.ts';
import { randomRun } from './testing/random-run.ts';
import { testCatalogue } from './testing/test-catalogue.ts';

const tapes = fc.noBias(fc.array(fc.nat(9_999), { maxLength: 1_500, size: 'max' }));
/** To see a failing tape shrunk, take `endOnFailure` off: that may take minutes. */
const runs = { numRuns: 120, seed: 20_260, endOnFailure: true };

test('deciding again what was decided says nothing, and neither decide, follow nor next changes the state', {
  timeout: 60_000,
}, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(tapes, (tape) => {
      const draw = choices(tape);
      const decider = lawful(jobDecider(testCatalogue()), isDeepStrictEqual);
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
