import { expect } from 'vitest';
import { ends, everyJobEnds, stateOf } from './checks.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

for (const mishap of ['commit-then-say-again', 'commit-then-garble'] as const)
  scenario(`an unsafe effect is not tried again, and not called a failure: ${mishap}`)
    .step(async ({ witness }) => witness.befall('room', mishap))
    .submit(jobOf([book('room', 'unsafe', { retry: { attempts: 5 } })]))
    .run()
    .expect(everyJobEnds, ends('job-1', 'failed', 'unknown'), (ending) => {
      expect([ending.witness.runs.get('room'), ending.witness.rowsOf('room').length]).toEqual([1, 1]);
      expect(stateOf(ending).tasks[0]?.open?.call).toContain('witness.unsafe');
    });
