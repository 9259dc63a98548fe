import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { bench } from './command-line.ts';
import { realMesh } from './mesh/real-mesh.ts';

const root = resolve(import.meta.dirname, '../..');
const example = join(root, 'examples/licence-audit');

it('runs the demo as four services with two workers, and reports what it reports in one process', async () => {
  await using mesh = await realMesh({
    workers: 2,
    environment: {
      FOLDMESH_SKILLS: join(example, 'skills'),
      FOLDMESH_AGENTS: join(example, 'agents'),
      FOLDMESH_SCRIPTS: join(example, 'scripts'),
      FOLDMESH_LOG: 'warn',
    },
    offered: 'licence.audit',
  });
  // At the level that is the default too.
  expect(mesh.manager.child().out()).toMatch(/"port":\d+,"message":"manager serves its API"/);
  const job = await mesh.client.submit(await readFile(join(example, 'job.yaml'), 'utf8'));
  const asked = await eventually(async () => (await mesh.client.record(job)).requests[0] ?? null, {
    withinMs: 60_000,
  });
  const answered = await mesh.client.post(`/v1/jobs/${job}/inputs/${asked.request}`, {
    value: 'the manifest',
  });
  expect(answered.status).toBe(202);
  const apart = await mesh.client.ended(job);
  await using alone = await bench();
  const together = await alone.run(
    ['run', join(example, 'job.yaml'), '--json', '--answer', 'the manifest', '--input', `root=.`],
    { FOLDMESH_FILES_ROOT: root, FOLDMESH_OUTPUT: join(alone.folder, 'out') },
  );
  expect(together.code).toBe(0);
  const said = JSON.parse(together.out.trim().split('\n').at(-1) ?? '');
  expect(apart.status).toBe('completed');
  expect(apart.result).toEqual(said.result);
  const report = async (folder: string, id: string) =>
    JSON.parse(await readFile(join(folder, 'out/local', id, 'report.json'), 'utf8'));
  expect(await report(mesh.folder, job)).toEqual(await report(alone.folder, said.id));
  const used = new Set(apart.tasks.flatMap(({ worker }) => worker?.match(/^worker\.default-.+$/) ?? []));
  expect(used.size).toBe(2);
});
