import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench } from './command-line.ts';
import { type CommandMesh, colourFiles, commandMesh, jsonOf } from './command-mesh.ts';
import { columns, onTerminal } from './command-terminal.ts';

const graphJob = JSON.stringify({
  name: 'graph',
  plan: {
    tasks: [
      { id: 'list', skill: 'debug.echo', input: [1, 2, 3] },
      { id: 'each', skill: 'debug.sleep', for_each: '${tasks.list.output}', input: { ms: 600_000 } },
      { id: 'merge', skill: 'debug.echo', depends_on: ['each'], input: 1 },
    ],
  },
});

/** One whose label and result are the same text. */
const steeringJob = (text: string): string =>
  JSON.stringify({
    name: 'steering',
    labels: { text },
    plan: { tasks: [{ id: 'a', skill: 'debug.echo', input: text }], result: '${tasks.a.output}' },
  });

const clear = '\u001b[2K';
const ctrlC = '\u0003';
const ctrlD = '\u0004';
const esc = '\u001b';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

/** The last picture that was drawn, line by line, without its colours. */
const lastPicture = (said: string): readonly string[] => {
  const picture = said.split('\u001b[0J').at(-2) ?? '';
  return (
    picture
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is those of a terminal that are taken out.
      .replace(/\u001b\[\d*[Am]/g, '')
      .split(clear)
      .slice(1)
      .map((line) => line.trimEnd())
  );
};

const submitted = async (mesh: CommandMesh, file: string): Promise<string> =>
  (await mesh.run('submit', file)).out.trim();

const paintJob = async (at: Bench): Promise<void> => {
  for (const folder of ['agents', 'scripts']) await mkdir(join(at.folder, folder));
  for (const [name, text] of Object.entries(colourFiles)) await at.write(name, text);
};

const openQuestions = async (mesh: CommandMesh, job: string): Promise<readonly unknown[]> =>
  jsonOf(await mesh.run('get', job, '--json')).requests;

/** A job whose question for a colour is open, in a mesh of its own. */
const askingJob = async (at: Bench): Promise<{ readonly mesh: CommandMesh; readonly job: string }> => {
  await paintJob(at);
  const mesh = await commandMesh(at);
  const job = await submitted(mesh, 'paint.yaml');
  await eventually(async () => expect(await openQuestions(mesh, job)).toHaveLength(1));
  return { mesh, job };
};

// Where there is no `script` there is no terminal to look at.
describe.skipIf(!existsSync('/usr/bin/script'))('the command on a terminal', () => {
  it('draws the graph in place, cut to the window, and leaves the job running on Ctrl-C', async () => {
    await using at = await bench();
    await at.write('job.yaml', graphJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml');
    const watching = onTerminal(at, ['watch', job], { FOLDMESH_URL: mesh.url });
    await watching.says(/3 running/);
    watching.press(ctrlC);
    const { code, out } = await watching.ended;
    expect(code).toBe(130);
    expect(out).toContain(`the job goes on: foldmesh watch ${job}`);
    const [head = '', ...lines] = lastPicture(out);
    expect(head).toMatch(/^graph running: 1\/5 tasks, \d/);
    expect(lines.map((line) => line.slice(0, 14).trimEnd())).toEqual(['✓ list', '  ▸ each', '    · merge']);
    expect(lines[2]).toContain('after each');
    expect(out).toContain('\u001b[32m✓\u001b[39m');
    for (const line of [head, ...lines]) expect(line.length).toBeLessThan(columns);
    expect(jsonOf(await mesh.run('get', job, '--json')).status).toBe('running');
  });

  it('has no colours where they are not wanted', async () => {
    await using at = await bench();
    await at.write('job.yaml', graphJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml');
    const watching = onTerminal(at, ['watch', job], { FOLDMESH_URL: mesh.url, NO_COLOR: '1' });
    await watching.says(/3 running/);
    watching.press(ctrlC);
    expect((await watching.ended).out).not.toMatch(/\[\d+m/);
  });

  it('says who has to answer what, puts the question to a person, and goes on', async () => {
    await using at = await bench();
    await paintJob(at);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'paint.yaml');
    const watching = onTerminal(at, ['watch', job], { FOLDMESH_URL: mesh.url });
    await watching.says(/foldmesh answer j-/);
    await watching.says(/\? Which colour\?/);
    const answering = onTerminal(at, ['answer', job], { FOLDMESH_URL: mesh.url });
    await answering.says(/Which colour\?/);
    await answering.says(/blue/);
    // Down one, and take it.
    answering.press('\u001b[B\r');
    const answered = await answering.ended;
    expect([answered.code, answered.out]).toEqual([0, expect.stringMatching(/answered choose\.\S+/)]);
    const { code, out } = await watching.ended;
    expect([code, out.trimEnd().split('\r\n').at(-1)]).toEqual([0, expect.stringMatching(/blue$/)]);
  });

  it('answers nothing when the person leaves', async () => {
    await using at = await bench();
    const { mesh, job } = await askingJob(at);
    for (const key of [ctrlC, ctrlD, esc]) {
      const answering = onTerminal(at, ['answer', job], { FOLDMESH_URL: mesh.url });
      await answering.says(/blue/);
      answering.press(key);
      const { code, out } = await answering.ended;
      expect([code, out]).toEqual([130, expect.stringContaining('nothing was answered')]);
      expect(out.lastIndexOf(showCursor)).toBeGreaterThan(out.lastIndexOf(hideCursor));
    }
    expect(await openQuestions(mesh, job)).toHaveLength(1);
  });

  it('shows what steers a terminal, and does not obey it; a pipe gets it as it is', async () => {
    await using at = await bench();
    const mesh = await commandMesh(at);
    const said = 'before\u001b[2J\u009b31m\rafter\u202e\nnext';
    await at.write('steering.json', steeringJob(said));
    const job = await submitted(mesh, 'steering.json');
    const piped = await mesh.run('watch', job);
    expect(piped.out).toBe(`${said}\n`);
    const watched = await onTerminal(at, ['watch', job], { FOLDMESH_URL: mesh.url }).ended;
    expect(watched.out).toContain('before\\u001b[2J\\u009b31m\\u000dafter\\u202e\r\nnext');
    const got = await onTerminal(at, ['get', job, '--json'], { FOLDMESH_URL: mesh.url }).ended;
    expect(JSON.parse(got.out)).toMatchObject({ result: said });
    expect(got.out).not.toMatch(/[^\P{Cc}\r\n]/u);
  });

  it('takes a terminal that does not know its width for one of 80 columns', async () => {
    await using at = await bench();
    const { mesh, job } = await askingJob(at);
    const answering = onTerminal(at, ['answer', job], { FOLDMESH_URL: mesh.url }, { columns: 0, rows: 0 });
    await answering.says(/Which colour\?[\s\S]*blue/);
    answering.press('\r');
    expect(await answering.ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/answered choose\.\S+/),
    });
  });

  it('is interrupted at a question as it is anywhere else', async () => {
    await using at = await bench();
    await paintJob(at);
    const running = onTerminal(at, ['run', 'paint.yaml']);
    await running.says(/asks: Which colour[\s\S]*> /);
    running.press(ctrlC);
    const { code, out } = await running.ended;
    expect([code, out]).toEqual([1, expect.stringContaining('cancelling; once more kills it')]);
    expect(out).not.toContain('nobody is here');
    expect(out).toMatch(/job j-\w+ cancelled: /);
  });

  it('asks whoever runs a job here, and draws nothing over the question', async () => {
    await using at = await bench();
    await paintJob(at);
    const running = onTerminal(at, ['run', 'paint.yaml']);
    await running.says(/asks: Which colour\? \(red \| blue\)[\s\S]*> /);
    running.press('green\r');
    await running.says(/that is none of red, blue[\s\S]*> /);
    running.press('blue\r');
    const { code, out } = await running.ended;
    expect([code, out.trimEnd().split('\r\n').at(-1)]).toEqual([0, expect.stringMatching(/blue$/)]);
    const asked = out.slice(out.indexOf('asks: Which'), out.indexOf('answered: blue'));
    expect(asked).not.toContain(clear);
  });
});
