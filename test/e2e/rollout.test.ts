import { expect, it } from 'vitest';
import { submitAll } from './mesh/drains.ts';
import { expectNothingPending } from './mesh/expect-settled.ts';
import { mixedJob } from './mesh/mixed-jobs.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { reckon } from './mesh/reckoning.ts';

const timeout = 300_000;

it('a worker and a gateway of an older build, which started last, fail nothing that the others can do', {
  timeout,
}, async () => {
  await using mesh = await realMesh({ workers: 1, older: ['worker', 'tool-gateway'] });
  const jobs = Array.from({ length: 10 }, (_, at) => mixedJob(at, () => 50));
  const ended = await submitAll(mesh.client, jobs);
  const came = reckon(await ended(), await mesh.rows());
  expect(came).toMatchObject({ jobs: 10, completed: 10 });
  expect(came.effects).toBeGreaterThan(20);
  const names = new Set(
    jobs.map(({ spec }) =>
      JSON.stringify(spec)
        .match(/"(agent|skill|tool)"/g)
        ?.join(),
    ),
  );
  expect(names.size).toBeGreaterThan(1);
  await expectNothingPending(mesh);
});
