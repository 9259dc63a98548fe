import { expect, it } from 'vitest';
import { realMesh } from './mesh/real-mesh.ts';

it('what a skill leaves behind ends its worker, but first the work of its neighbours, and strikes nobody', {
  timeout: 180_000,
}, async () => {
  await using mesh = await realMesh({ workers: 1 });
  const [worker] = mesh.workers;
  const sleeper = await mesh.client.submit({
    name: 'sleeper',
    plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms: 3_000 } }] },
  });
  const litter = await mesh.client.submit({
    name: 'litter',
    plan: { tasks: [{ id: 'a', skill: 'test.litter', input: { ms: 500 } }] },
  });
  expect(await mesh.client.ended(litter)).toMatchObject({ status: 'completed' });
  expect(await worker?.child().ended).toBe(1);
  expect(worker?.child().out()).toContain('something threw that nobody awaits');
  expect(worker?.child().err()).toContain('left behind');
  expect(await mesh.client.ended(sleeper)).toMatchObject({
    status: 'completed',
    tasks: [{ status: 'completed', attempt: 1 }],
  });
});
