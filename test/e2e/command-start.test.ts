import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { type Bench, bench } from './command-line.ts';
import { commandMesh } from './command-mesh.ts';

/** Notes every module that is loaded, where LOADED says. */
const noting = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n');
    return next(url, context);
  },
});
`;

const loadedBy = async (at: Bench, args: readonly string[], url = ''): Promise<readonly string[]> => {
  await at.write('noting.mjs', noting);
  const loaded = join(at.folder, 'loaded');
  await at.write('loaded', '');
  const { code, err } = await at.run(args, {
    LOADED: loaded,
    NODE_OPTIONS: `--import=${pathToFileURL(join(at.folder, 'noting.mjs'))}`,
    ...(url !== '' && { FOLDMESH_URL: url }),
  });
  expect([args, code, code === 0 ? '' : err]).toEqual([args, 0, '']);
  const modules = (await readFile(loaded, 'utf8')).trimEnd().split('\n');
  expect(modules.some((module) => module.includes('/packages/cli/src/main.ts'))).toBe(true);
  return modules;
};

/** What only a mesh needs: its servers' clients, its stores, its services. */
const ofMesh =
  /@nats-io|\/ioredis|\/services\/|\/packages\/(jetstream|redis|sqlite|embedded|worlds|models|runtime|system)\/|@clack/;

it('asks for help without loading anything else, and for a job without loading a mesh', async () => {
  await using at = await bench();
  for (const args of [['--help'], ['get', '--help'], ['keys', 'create', '--help']]) {
    const loaded = await loadedBy(at, args);
    expect(
      loaded.filter((module) => ofMesh.test(module) || /\/packages\/(?!cli\/)|\/zod\//.test(module)),
    ).toEqual([]);
  }
  await at.write('job.yaml', 'name: j\nplan: { tasks: [] }\n');
  const mesh = await commandMesh(at);
  const submitted = await mesh.run('submit', 'job.yaml');
  expect(submitted).toEqual({ code: 0, out: expect.stringMatching(/^j-\w+\n$/), err: '' });
  const job = submitted.out.trim();
  for (const args of [
    ['get', job],
    ['list'],
    ['why', job],
    ['journal', job],
    ['catalogue'],
    ['cancel', job],
  ]) {
    const loaded = await loadedBy(at, args, mesh.url);
    expect([args[0], loaded.filter((module) => ofMesh.test(module))]).toEqual([args[0], []]);
  }
});
