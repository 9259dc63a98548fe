import { shardOf } from '@foldmesh/envelope';
import { expect } from 'vitest';
import { died, everyJobEnds, stateOf } from './checks.ts';
import type { Run } from './mesh.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

/** Longer than the stream knows what it has stored. */
const restartMs = 25_000;

/** Nobody hears what workers say of their tasks. */
const deafen = async ({ doors, clock, jobId }: Run): Promise<void> =>
  doors.pause(
    { service: 'manager', pool: shardOf(jobId('job-1')), lane: 'decide' },
    clock.now() + restartMs + 10_000,
  );

scenario(
  'an assignment is published again when the stream has forgotten it and the dedup store too: what is unsafe has run once',
  { restartMs },
)
  .step(deafen)
  .crash('manager', { at: 'bus.publish', when: 'after', of: 'task.assign' })
  .submit(jobOf([book('room', 'unsafe')]))
  .wait(10_000)
  .step(async ({ witness, doors }) => {
    expect(witness.runs.get('room')).toBe(1);
    doors.forgetAll();
  })
  .run()
  .expect(everyJobEnds, died('manager-1'), (ending) => {
    expect(ending.witness.rowsOf('room').length).toBe(1);
    // It has said so in time, or nobody knows.
    expect(['goal', 'unknown']).toContain(stateOf(ending).end_reason);
    const sent = ending.calls.filter(({ service, call }) => service === 'worker-1' && call === 'inbox.claim');
    expect(sent.length, 'the assignment came once more').toBeGreaterThan(1);
  });
