import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench } from './command-line.ts';
import { type CommandMesh, colourFiles, commandMesh, echoJob, jsonOf, sleepJob } from './command-mesh.ts';

const writeAll = async (at: Bench, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(at.folder, name)), { recursive: true });
    await at.write(name, text);
  }
};

/** Submits a file and gives the id, which is all that a pipe gets. */
const submitted = async (mesh: CommandMesh, ...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await mesh.run('submit', ...args);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^j-[0-9a-f]+\n$/);
  return out.trim();
};

describe('the command against a mesh', () => {
  it('submits a job, shows it to its end, and says what became of it', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml', '--input', 'word=servus');
    const watched = await mesh.run('watch', job);
    expect([watched.code, watched.out]).toEqual([0, 'servus\n']);
    expect(watched.err).toMatch(/^✓ second +completed {2}skill debug\.echo$/m);
    const record = jsonOf(await mesh.run('watch', job, '--json'));
    expect(record).toMatchObject({ id: job, status: 'completed', result: 'servus' });
    expect(jsonOf(await mesh.run('get', job, '--json'))).toEqual(record);
    const shown = await mesh.run('get', job);
    expect(shown.out).toMatch(new RegExp(`^two-steps {2}${job}\ncompleted \\(goal\\)\n`));
    expect(shown.out).toMatch(/^ {2}✓ first +completed$/m);
  });

  it('makes one job of one key, and watches what it submits', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml', '--key', 'k');
    expect(await submitted(mesh, 'job.yaml', '--key', 'k')).toBe(job);
    const watched = await mesh.run('submit', 'job.yaml', '--key', 'k', '--watch');
    expect([watched.code, watched.out]).toEqual([0, 'hello\n']);
    const other = await mesh.run('submit', 'job.yaml', '--key', 'k', '--input', 'word=other');
    expect([other.code, other.out]).toEqual([5, '']);
    expect(other.err).toMatch(/Idempotency-Key was used for another request/);
    expect(jsonOf(await mesh.run('submit', 'job.yaml', '--key', 'k', '--json'))).toMatchObject({ id: job });
  });

  it('lists by status, label and name, the newest first, over as many pages as it takes', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    await at.write('sleep.yaml', sleepJob(600_000));
    const mesh = await commandMesh(at);
    const first = await submitted(mesh, 'job.yaml');
    await mesh.run('watch', first);
    const second = await submitted(mesh, 'sleep.yaml');
    const listed = async (...filter: readonly string[]): Promise<readonly string[]> =>
      jsonOf(await mesh.run('list', '--json', ...filter)).jobs.map(({ id }: { readonly id: string }) => id);
    await eventually(async () => expect(await listed('--status', 'running')).toEqual([second]));
    await eventually(async () => expect(await listed()).toEqual([second, first]));
    await eventually(async () => expect(await listed('--status', 'completed,failed')).toEqual([first]));
    expect(await listed('--label', 'team=platform')).toEqual([first]);
    expect(await listed('--name', 'two-*')).toEqual([first]);
    expect(await listed('--limit', '1')).toEqual([second]);
    const shown = await mesh.run('list');
    expect(shown.out.trimEnd().split('\n')).toHaveLength(2);
    expect(shown.out).toMatch(new RegExp(`^${second} +running +.* sleep`));
  });

  it('prints events as lines of JSON that can be resumed, and leaves in silence with its reader', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml');
    const { code, out } = await mesh.run('events', job);
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['job-accepted', 'tasks-assigned', 'task-completed', 'job-completed']),
    );
    const from = await mesh.run('events', job, '--after', events[1].id);
    expect(from.out.trimEnd().split('\n')).toHaveLength(events.length - 2);
    await at.write('sleep.yaml', sleepJob(600_000));
    const running = await submitted(mesh, 'sleep.yaml');
    const reader = mesh.start('events', running);
    reader.process.stdout?.once('data', () => reader.process.stdout?.destroy());
    // What comes next meets a pipe that nobody reads.
    await reader.says(/job-accepted/);
    await mesh.run('cancel', running);
    expect(await reader.ended).toMatchObject({ code: 0, err: '' });
  });

  it('cancels with a reason, and ends with 1 where a job did not complete', async () => {
    await using at = await bench();
    await at.write('sleep.yaml', sleepJob(600_000));
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'sleep.yaml');
    const watching = mesh.start('watch', job);
    await watching.says(/a +running/);
    const cancelled = await mesh.run('cancel', job, '--reason', 'no longer needed');
    expect([cancelled.code, cancelled.out]).toEqual([
      0,
      expect.stringMatching(/^j-\w+ (stopping|cancelled)\n$/),
    ]);
    const { code, out, err } = await watching.ended;
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^job j-\w+ cancelled; .*1 were stopped$/m);
  });

  it('leaves a job running on Ctrl-C, and says how to come back', async () => {
    await using at = await bench();
    await at.write('sleep.yaml', sleepJob(600_000));
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'sleep.yaml');
    for (const command of ['watch', 'events']) {
      const looking = mesh.start(command, job);
      await looking.says(command === 'watch' ? /a +running/ : /tasks-assigned/);
      looking.process.kill('SIGINT');
      const { code, err } = await looking.ended;
      expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([
        130,
        `the job goes on: foldmesh ${command} ${job}`,
      ]);
    }
    expect(jsonOf(await mesh.run('get', job, '--json')).status).toBe('running');
  });

  it('says why a job waits, answers what it asks, and shows what its agent saw', async () => {
    await using at = await bench();
    await writeAll(at, colourFiles);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'paint.yaml');
    const { requests } = await eventually(async () => {
      const record = jsonOf(await mesh.run('get', job, '--json'));
      expect(record.requests).toHaveLength(1);
      return record;
    });
    const [{ request }] = requests;
    const why = await mesh.run('why', job);
    expect([why.code, why.out]).toEqual([0, expect.stringContaining('Which colour?')]);
    expect(jsonOf(await mesh.run('why', job, '--json')).causes[0]).toMatchObject({
      reason: 'answer',
      on: request,
    });
    const unasked = await mesh.run('answer', job);
    expect([unasked.code, unasked.err]).toEqual([
      2,
      `there is no terminal to ask on: foldmesh answer ${job} ${request} <value>\n`,
    ]);
    // A value without its request is never taken for either.
    const bare = await mesh.run('answer', job, 'blue');
    expect([bare.code, bare.err]).toEqual([
      2,
      `job ${job} has no open question blue, it asks ${request} (Which colour?); a value stands behind its question: foldmesh answer ${job} ${request} blue\n`,
    ]);
    const wrong = await mesh.run('answer', job, request, 'green');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/does not have the shape.*red/)]);
    const right = await mesh.run('answer', job, request, 'blue');
    expect([right.code, right.out]).toEqual([0, `answered ${request}\n`]);
    expect((await mesh.run('watch', job)).out).toBe('blue\n');
    const late = await mesh.run('answer', job, request, 'red');
    expect(late.code).toBe(5);
    const over = await mesh.run('answer', job, 'blue');
    expect([over.code, over.err]).toEqual([4, `job ${job} is completed and asks nobody anything\n`]);
    const messages = jsonOf(await mesh.run('messages', job, 'choose', '--json'));
    expect(messages).toMatchObject({ agent: 'chooser', status: 'completed' });
    expect((await mesh.run('messages', job, 'choose')).out).toMatch(
      /^→ \S+ person\.ask \{"question":"Which colour\?"/m,
    );
  });

  it('prints the journal, what its events fold to, and what pools offer', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob);
    const mesh = await commandMesh(at);
    const job = await submitted(mesh, 'job.yaml');
    await mesh.run('watch', job);
    const { entries } = jsonOf(await mesh.run('journal', job, '--json'));
    const events = entries.flatMap((entry: { readonly events: readonly object[] }) => entry.events);
    const { out } = await mesh.run('journal', job);
    expect(out.trimEnd().split('\n')).toHaveLength(events.length);
    const state = JSON.parse((await mesh.run('journal', job, '--at', '1')).out);
    expect(state).toMatchObject({ position: 1, status: 'queued' });
    expect(jsonOf(await mesh.run('catalogue', '--json')).offers).toContainEqual(
      expect.objectContaining({ kind: 'skill', name: 'debug.echo', pool: 'default' }),
    );
    expect((await mesh.run('catalogue')).out).toMatch(/^tool +files\.list +pool default/m);
  });

  it('plans with the definitions of the mesh, and names lines where the mesh refuses a job', async () => {
    await using at = await bench();
    await at.write('job.yaml', echoJob.replace('debug.echo, input: { heard', 'debug.eco, input: { heard'));
    const mesh = await commandMesh(at);
    for (const args of [
      ['submit', 'job.yaml'],
      ['plan', 'job.yaml', '--remote'],
    ]) {
      const { code, out, err } = await mesh.run(...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(/^job\.yaml:7: plan\.tasks\.1.*no skill debug\.eco is offered/);
    }
    await at.write('job.yaml', echoJob);
    const planned = await mesh.run('plan', 'job.yaml', '--remote');
    expect(planned.out).toContain('  first\n    │\n  second\n');
  });
});
