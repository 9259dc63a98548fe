import type { Envelope, Outcome, TaskResult } from '@foldmesh/envelope';
import { jobDecider } from '../decider.ts';
import type { TaskSpec } from '../spec.ts';
import { failed, result, settle, taskKey } from './envelopes.ts';
import { spec, task } from './specs.ts';
import { begun, storyOf, type Told } from './story.ts';
import { testCatalogue } from './test-catalogue.ts';

/** A job of one task `a`, which is out since event 2. */
export const alone = (more: Partial<TaskSpec> = {}): Told => {
  const decider = jobDecider(testCatalogue());
  return storyOf(decider)(...begun(decider, spec([task('a', more)])));
};

/** Where it was assigned. */
export const a = taskKey('a', 2, 0);

/** What its worker says of it. */
export const says = (outcome: Outcome, more: Partial<TaskResult> = {}): Envelope<'task.settle'> =>
  settle(a, result(a, outcome, more));

/** A fault that passes: the same again, later. */
export const busy = (retry_after_ms = 0): Outcome => failed('throttled', 'busy', { retry_after_ms });
