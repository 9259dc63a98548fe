import { foldmeshClient, type TokenDelta } from '@foldmesh/client';
import { expect, it } from 'vitest';
import { readEvents } from './mesh/event-reader.ts';
import { realMesh } from './mesh/real-mesh.ts';

it('what a model says reaches, while it says it, whoever reads the job at any manager', {
  timeout: 120_000,
}, async () => {
  await using mesh = await realMesh({ managers: 2, workers: 1 });
  const [here, there] = mesh.clients.map(({ url }) => foldmeshClient({ url }));
  if (here === undefined || there === undefined) throw new Error('there are no two managers');
  const { id: job } = await here.submit(talk, { idempotencyKey: 'talk', retryForMs: 30_000 });
  const news: TokenDelta[] = [];
  for await (const step of there.events(job)) {
    if (step.kind === 'live') news.push(step.news);
    // The reader is there before the clerk has begun to speak.
    if (step.kind === 'event' && step.event.kind === 'input-asked')
      await here.answer(job, step.event.request, 'yes');
  }
  expect(new Set(news.map(({ task }) => task))).toEqual(new Set(['talk']));
  const turns = Map.groupBy(news, ({ step }) => step);
  expect([...turns.values()].map((pieces) => pieces.map(({ text }) => text).join(''))).toEqual([
    'I begin with two of them.',
    'One is left.',
  ]);
  // Who comes later is told what was done, and not what was being said.
  const { names } = await readEvents(mesh.clients[0]?.url ?? '', job);
  expect(names.at(-1)).toBe('job-completed');
  expect(names).not.toContain('live');
});

const talk = {
  name: 'talk',
  plan: {
    tasks: [
      { id: 'ask', agent: 'test.asker', input: { question: 'Shall I begin?' } },
      { id: 'talk', agent: 'test.clerk', input: { name: 'talk' }, depends_on: ['ask'] },
    ],
  },
} as const;
