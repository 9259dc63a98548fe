import { expect, it } from 'vitest';
import { expectNothingPending } from './mesh/expect-settled.ts';
import { keptAlive } from './mesh/kept-alive.ts';
import { realMesh } from './mesh/real-mesh.ts';

it('a task that kills its worker every time strikes out alone: those in hand beside it are done', {
  timeout: 240_000,
}, async () => {
  await using mesh = await realMesh({ workers: 1 });
  const { client, workers } = mesh;
  const [worker] = workers;
  if (worker === undefined) throw new Error('a worker is needed');
  await using kept = keptAlive(worker);
  const jobOf = (name: string, skill: string, ms: number) =>
    client.submit({ name, plan: { tasks: [{ id: 'run', skill, input: { ms } }] } }, name);
  const poison = await jobOf('poison', 'test.poison', 700);
  // They take longer than it does, and get no further each time that it takes them along.
  const beside = await Promise.all(
    Array.from({ length: 6 }, (_, at) => jobOf(`beside-${at}`, 'debug.sleep', 1_500)),
  );
  const { status, tasks } = await client.ended(poison, 90_000);
  expect({ status, fault: tasks[0]?.fault }).toEqual({
    status: 'failed',
    fault: { kind: 'unanswered', source: 'strikes', detail: expect.stringContaining('4 tries') },
  });
  expect(kept.restarts()).toBe(4);
  for (const job of beside) {
    const record = await client.ended(job);
    expect({ status: record.status, fault: record.fault }).toEqual({ status: 'completed', fault: undefined });
  }
  await expectNothingPending(mesh, 45_000, 1);
});
