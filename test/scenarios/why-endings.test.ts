import { describe, expect } from 'vitest';
import { agentOf, agentTask, answer, call, plays } from './agents.ts';
import { everyJobEnds } from './checks.ts';
import { command } from './jobs.ts';
import type { Setup } from './mesh.ts';
import { scenario } from './scenario.ts';
import { jobOf } from './specs.ts';
import { askWhy, causeIn, kill, sleeping, story, submit } from './why-hands.ts';

describe('why, of an agent', () => {
  const setup: Setup = {
    agents: [agentOf()],
    model: plays([{ calls: [call('witness.read', 'weather', { ms: 15_000 })] }, answer(1)]),
  };

  story(
    'names the call that its run waits for, and the pool that does not answer it',
    setup,
    kill('gateway-1'),
    submit([agentTask()]),
    async (run) => {
      const cause = await causeIn(run, 'no_worker');
      expect(cause).toMatchObject({ task: 'trip', on: 'tool-gateway.default' });
      expect(cause.text).toMatch(
        /^the call of tool witness\.read \(task trip\) waits for tool-gateway\.default, where nobody is: .* it needs tool witness\.read$/,
      );
    },
  );

  story('says whose hands its call is in', setup, submit([agentTask()]), async (run) => {
    const cause = await causeIn(run, 'call', ({ on }) => on.startsWith('tool-gateway.default-'));
    expect(cause.text).toMatch(/^the call of tool witness\.read \(task trip\) is in hand at /);
  });

  story(
    'says that its model is what it waits for',
    { ...setup, model: { reply: () => new Promise(() => {}) } },
    submit([agentTask()]),
    async (run) => {
      const cause = await causeIn(run, 'call', ({ on }) => on.startsWith('worker.default-'));
      expect(cause.text).toContain('the model call of agent traveller (task trip) is in hand at');
    },
    kill('worker-1'),
  );
});

describe('why, of a job that is about to end or has', () => {
  story(
    'says that it waits for last words, and until when',
    {},
    submit([sleeping('a', 60_000)]),
    async (run) => {
      await causeIn(run, 'call', ({ on }) => on.startsWith('worker.default-'));
      run.life('worker-1').stop();
      const cancel = { type: 'job.cancel', payload: { reason: 'no longer wanted' } } as const;
      await command(run, 'job-1', cancel, 'cancel');
      const cause = await causeIn(run, 'call', ({ text }) => text.includes('is stopping'));
      expect(cause).toMatchObject({ task: 'a', on: 'job' });
      expect(cause.text).toMatch(
        /^the job is stopping \(cancelled: no longer wanted\): it waits for the last words of 1 task, and ends in 4 s at the latest$/,
      );
      const { causes } = await askWhy(run);
      expect(causes).toHaveLength(1);
      const ended = await causeIn(run, 'ended');
      expect(ended.text).toContain('nobody knows how these ended: a');
      run.life('worker-1').go();
    },
  );

  scenario('says by which task a job failed, and why')
    .submit(jobOf([{ id: 'a', skill: 'debug.fail', input: { fault: 'refused' } }]))
    .run()
    .step(async (run) => {
      const { status, causes } = await askWhy(run);
      expect(status).toBe('failed');
      expect(causes).toHaveLength(1);
      expect(causes[0]).toMatchObject({ reason: 'ended', task: 'a', on: 'a' });
      expect(causes[0]?.text).toMatch(/^the job failed [^(]+ ago: refused: task a failed: debug\.fail/);
    })
    .expect(everyJobEnds);

  scenario('names the dead letter of what struck out', { restartMs: 500 })
    .submit(jobOf([{ id: 'a', skill: 'debug.exit', input: {} }]))
    .run()
    .step(async (run) => {
      const { causes } = await askWhy(run);
      expect(causes.map(({ reason }) => reason)).toEqual(['ended', 'dead_letter']);
      expect(causes[1]).toMatchObject({ task: 'a', on: expect.stringMatching(/^[0-9a-f]{32}$/) });
      expect(causes[1]?.text).toContain('4 tries without a word');
    })
    .expect(everyJobEnds);
});
