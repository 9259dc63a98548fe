import { defineSkill, z } from '@foldmesh/sdk';
import { expect } from 'vitest';
import { ends, everyJobEnds, noDeadLetters, stateOf } from './checks.ts';
import { tell } from './jobs.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const restartMs = 500;

/** Kills its process the moment it runs. */
const killer = { id: 'killer', skill: 'debug.exit', on_failure: 'skip' };

scenario('of a bundle only the task that kills its process strikes out', { workers: 2, restartMs })
  .submit(
    jobOf(
      [
        book('one', 'keyed'),
        { id: 'before', skill: 'debug.echo', input: 'before' },
        killer,
        { id: 'behind', skill: 'debug.echo', input: 'behind' },
      ],
      { split: 'never' },
    ),
  )
  .run()
  .expect(everyJobEnds, ends('job-1', 'completed'), (ending) => {
    const { deaths, letters, witness } = ending;
    // Three strikes are tries, the fourth is one too many: nobody runs it a fifth time.
    expect(deaths.length).toBe(4);
    expect(letters.map(({ reason, strikes }) => [reason, strikes])).toEqual([
      ['skill debug.exit (killer): struck out, 4 tries ended without a word', 4],
    ]);
    expect(new TextDecoder().decode(letters[0]?.body)).toContain('debug.exit');
    const [one, before, dead, behind] = stateOf(ending).tasks;
    expect([one?.status, before?.status, behind?.status]).toEqual(['completed', 'completed', 'completed']);
    expect([dead?.status, dead?.fault?.kind, dead?.fault?.source]).toEqual([
      'failed',
      'unanswered',
      'strikes',
    ]);
    expect(witness.runs.get('one')).toBe(1);
  });

const slow = defineSkill({
  name: 'slow.step',
  input: z.strictObject({ ms: z.number() }),
  run: async ({ ms }, call) => {
    await call.sleep(ms);
    return ms;
  },
});

scenario('the neighbours of a task that kills its process do not strike out with it', {
  workers: 1,
  slots: 4,
  restartMs,
  skills: [slow],
})
  .submit(
    jobOf([...['a', 'b', 'c'].map((id) => ({ id, skill: 'slow.step', input: { ms: 20_000 } })), killer], {
      split: 'always',
    }),
  )
  .run()
  .expect(everyJobEnds, ends('job-1', 'completed'), (ending) => {
    expect(ending.letters.length).toBe(1);
    expect(stateOf(ending).tasks.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
    ]);
  });

scenario('a hand-back is no strike: a pool that lacks a skill for long does not strike its task out', {
  skills: [slow],
})
  .step((run) => run.shutDown('worker-1'))
  .submit(jobOf([{ id: 'a', skill: 'slow.step', input: { ms: 1 } }]))
  // The same pool, an older build: it has never heard of the skill.
  .step((run) => run.start('worker-9', { skills: [] }))
  .wait(60_000)
  .step(async (run) => {
    expect((await tell(run, 'job-1')).state.status).toBe('running');
    expect(
      run.calls.filter(({ service, call }) => service === 'worker-9' && call === 'inbox.release').length,
    ).toBeGreaterThan(4);
    await run.start('worker-1');
  })
  .run()
  .expect(everyJobEnds, ends('job-1', 'completed'), noDeadLetters);
