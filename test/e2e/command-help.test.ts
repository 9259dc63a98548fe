import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, natsServer, redisServer } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { shellIn } from './command-examples.ts';
import { type Bench, bench } from './command-line.ts';
import { type CommandMesh, colourFiles, commandMesh } from './command-mesh.ts';
import { onTerminal } from './command-terminal.ts';

const job = `name: two-steps
inputs: { word: hello }
labels: { team: platform }
plan:
  tasks: [{ id: first, skill: debug.echo, input: { said: "\${inputs.word}" } }]
  result: "\${tasks.first.output.said}"
`;

/** The lines that the help of a command shows as examples, and those of what lies below it. */
const examplesOf = async (at: Bench, path: readonly string[]): Promise<readonly string[]> => {
  const { code, out } = await at.run([...path, '--help']);
  expect([path, code]).toEqual([path, 0]);
  const sections = out.split('\n\n');
  const inSection = (title: RegExp, line: RegExp): readonly string[] =>
    sections
      .filter((section) => title.test(section))
      .flatMap((section) => [...section.matchAll(line)].map(([, found = '']) => found));
  const own = inSection(/^Examples?:/, /^ {2}(foldmesh .*)$/gm);
  const below = inSection(/^(?!Usage|Options|Arguments|Examples?)[A-Z][a-z ]+:\n/, /^ {2}([a-z]+) /gm);
  const all = [own];
  for (const name of below.filter((one) => one !== 'help'))
    all.push([...(await examplesOf(at, [...path, name]))]);
  if (path.length > 0 && below.length === 0) expect([path, own.length > 0]).toEqual([path, true]);
  return all.flat();
};

/** A job that waits for a person, and what it asks. */
const asking = async (mesh: CommandMesh): Promise<{ readonly JOB: string; readonly REQUEST: string }> => {
  const JOB = (await mesh.run('submit', 'paint.yaml')).out.trim();
  const REQUEST = await eventually(async () => {
    const { requests } = JSON.parse((await mesh.run('get', JOB, '--json')).out);
    expect(requests).toHaveLength(1);
    return requests[0].request;
  });
  return { JOB, REQUEST };
};

it('shows examples that run, every one of them', { timeout: 300_000 }, async () => {
  await using nats = await natsServer();
  await using redis = await redisServer({ appendonly: 'everysec' });
  await using at = await bench();
  for (const folder of ['agents', 'scripts']) await mkdir(join(at.folder, folder));
  for (const [name, text] of Object.entries({ ...colourFiles, 'job.yaml': job })) await at.write(name, text);
  const examples = await examplesOf(at, []);
  expect(examples.length).toBeGreaterThan(30);
  const mesh = await commandMesh(at);
  const made = await at.run(['keys', 'create', '--file', 'keys.yaml', '--json']);
  const KEY = JSON.parse(made.out).id;
  const shell = await shellIn(at);
  const done = await ended(mesh);
  for (const example of examples) {
    const own = example
      .replace('nats://127.0.0.1:4222', nats.url)
      .replace('redis://127.0.0.1:6379', redis.url);
    if (/^foldmesh up/.test(own)) {
      const up = at.start(own.replaceAll("'", '').split(' ').slice(1));
      await up.says(/foldmesh is up on/);
      up.process.kill('SIGINT');
      expect([example, (await up.ended).code]).toEqual([example, 0]);
      continue;
    }
    const ids = /^foldmesh (answer|cancel)/.test(own) ? await asking(mesh) : done;
    if (own === 'foldmesh answer $JOB') {
      await answerOnTerminal(at, mesh, ids.JOB);
      continue;
    }
    const { code, out, err } = await shell(own, { FOLDMESH_URL: mesh.url, KEY, ...ids });
    expect([example, code, code === 0 ? '' : err]).toEqual([example, 0, '']);
    if (!own.includes('>')) expect([example, out.length > 0 || err.length > 0]).toEqual([example, true]);
  }
});

/** A job of an agent that has come to its end. */
const ended = async (mesh: CommandMesh): Promise<{ readonly JOB: string }> => {
  const { JOB, REQUEST } = await asking(mesh);
  expect((await mesh.run('answer', JOB, REQUEST, 'red')).code).toBe(0);
  expect((await mesh.run('watch', JOB)).code).toBe(0);
  return { JOB };
};

const answerOnTerminal = async (at: Bench, mesh: CommandMesh, id: string): Promise<void> => {
  if (!existsSync('/usr/bin/script')) return;
  const answering = onTerminal(at, ['answer', id], { FOLDMESH_URL: mesh.url });
  await answering.says(/blue/);
  answering.press('\r');
  expect((await answering.ended).code).toBe(0);
};
