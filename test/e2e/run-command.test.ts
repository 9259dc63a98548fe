import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, recordIn } from './command-line.ts';

const job = (tasks: readonly object[], more: object = {}, result?: unknown): string =>
  JSON.stringify({ name: 'job', ...more, plan: { tasks, ...(result !== undefined && { result }) } });

const echo = (id: string, input: unknown, more: object = {}) => ({ id, skill: 'debug.echo', input, ...more });

describe('foldmesh run', () => {
  it('runs a job to its end and says its result', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job(
        [echo('a', { said: 'hello' }), echo('b', { heard: '${tasks.a.output.said}' })],
        {},
        '${tasks.b.output}',
      ),
    );
    const { code, out } = await at.run(['run', 'job.yaml']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ heard: 'hello' });
  });

  it('prints the job record as its last line for programs', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job([echo('a', { n: 1 })], { labels: { team: 'platform' }, goal: 'count' }, '${tasks.a.output.n}'),
    );
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(0);
    expect(recordIn(ended)).toMatchObject({
      name: 'job',
      goal: 'count',
      status: 'completed',
      end_reason: 'goal',
      labels: { team: 'platform' },
      result: 1,
      plan: { tasks: 1, decision: { split: false, density: 1 } },
      tasks: [{ id: 'a', status: 'completed', attempt: 1 }],
      durability: 'process',
    });
  });

  it('ends with 1 and the reason when a task fails for good', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job([{ id: 'a', skill: 'debug.fail', input: { fault: 'refused' } }, echo('b', '${tasks.a.output}')]),
    );
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(1);
    expect(recordIn(ended)).toMatchObject({
      status: 'failed',
      end_reason: 'failed',
      fault: { kind: 'refused', detail: expect.stringContaining('task a failed') },
      tasks: [{ status: 'failed' }, { status: 'cancelled' }],
    });
  });

  it('makes another attempt where the fault says later, and goes on without a task whose route is skip', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job(
        [
          {
            id: 'again',
            skill: 'debug.fail',
            input: { fault: 'unavailable', times: 2 },
            retry: { attempts: 3 },
          },
          { id: 'lost', skill: 'debug.fail', input: { fault: 'invalid' }, on_failure: 'skip' },
          echo(
            'sum',
            { gaps: '${tasks.lost.gaps}', again: '${tasks.again.output.attempt}' },
            { depends_on: [{ task: 'lost', optional: true }] },
          ),
        ],
        {},
        '${tasks.sum.output}',
      ),
    );
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(0);
    expect(recordIn(ended)).toMatchObject({
      status: 'completed',
      result: {
        again: 3,
        gaps: [{ task: 'lost', status: 'failed', reason: expect.stringContaining('debug.fail') }],
      },
    });
  });

  it('ends an empty plan at once, with an explicit empty result', async () => {
    await using at = await bench();
    await at.write('job.yaml', job([]));
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(0);
    expect(recordIn(ended)).toMatchObject({
      status: 'completed',
      end_reason: 'empty',
      result: null,
      tasks: [],
    });
  });

  it('cancels on Ctrl-C, with a receipt', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job([
        { id: 'long', skill: 'debug.sleep', input: { ms: 600_000 } },
        echo('after', 1, { depends_on: ['long'] }),
      ]),
    );
    const started = at.start(['run', 'job.yaml', '--json']);
    await started.says(/long +running/);
    started.process.kill('SIGINT');
    const ended = await started.ended;
    expect(ended.code).toBe(1);
    expect(recordIn(ended)).toMatchObject({
      status: 'cancelled',
      end_reason: 'cancelled',
      receipt: { completed: 0, stopped: ['long'], silent: [] },
      tasks: [
        { id: 'long', status: 'cancelled' },
        { id: 'after', status: 'cancelled' },
      ],
    });
  });

  it('is killed by a second Ctrl-C', async () => {
    await using at = await bench();
    await at.write('deaf.ts', '');
    await at.write('foldmesh.yaml', 'skills: .\n');
    await at.write(
      'deaf.mjs',
      "export const deaf = { kind: 'skill', name: 'deaf', description: '', input: { safeParse: (data) => ({ success: true, data }) }, output: undefined, timeoutMs: 600000, run: () => new Promise(() => {}) };\n",
    );
    await at.write('job.yaml', job([{ id: 'deaf', skill: 'deaf' }]));
    const started = at.start(['run', 'job.yaml']);
    await started.says(/deaf +running/);
    started.process.kill('SIGINT');
    await started.says(/once more kills it/);
    // Two at once count as one: the second has to come later.
    const again = setInterval(() => started.process.kill('SIGINT'), 50);
    const { code } = await started.ended;
    clearInterval(again);
    expect(code).toBe(130);
  });

  it('carries 10,000 tasks: wide, as a chain, and as one for_each, split or not', async () => {
    await using at = await bench();
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    const shapes = {
      wide: job(
        many.map((index) => echo(`t${index}`, index)),
        { split: 'always' },
      ),
      chain: job(
        many.map((index) => echo(`t${index}`, index === 0 ? 0 : `\${tasks.t${index - 1}.output}`)),
        {},
        '${tasks.t9999.output}',
      ),
      each: job(
        [echo('e', '${item}', { for_each: '${inputs.many}' })],
        { inputs: { many } },
        '${tasks.e.output}',
      ),
    };
    for (const [shape, text] of Object.entries(shapes)) {
      await at.write(`${shape}.yaml`, text);
      const ended = await at.run(['run', `${shape}.yaml`, '--json']);
      expect([shape, ended.code, ended.code === 0 ? '' : ended.err]).toEqual([shape, 0, '']);
      const record = recordIn(ended);
      expect(record.tasks.filter(({ status }: { status: string }) => status === 'completed').length).toBe(
        record.tasks.length,
      );
      if (shape === 'chain') expect([record.plan.decision.split, record.result]).toEqual([false, 0]);
      if (shape === 'each') expect(record.result).toEqual(many);
    }
  });

  it('runs the example in the README as it stands there', async () => {
    await using at = await bench();
    const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    await at.write('job.yaml', example);
    const { code, out } = await at.run(['run', 'job.yaml']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ heard: 'hello' });
  });

  it('writes only into the folder of the job', async () => {
    await using at = await bench();
    await at.write(
      'job.yaml',
      job(
        [{ id: 'w', tool: 'files.write', input: { path: 'a/b.txt', text: 'once' } }],
        {},
        '${tasks.w.output.path}',
      ),
    );
    const ended = await at.run(['run', 'job.yaml', '--json']);
    expect(ended.code).toBe(0);
    const { id } = recordIn(ended);
    expect(await readFile(join(at.folder, 'out', 'local', id, 'a/b.txt'), 'utf8')).toBe('once');
  });
});

describe('foldmesh plan', () => {
  const decisionOf = async (tasks: readonly object[]) => {
    await using at = await bench();
    await at.write('job.yaml', job(tasks));
    const { code, out } = await at.run(['plan', 'job.yaml', '--json']);
    expect(code).toBe(0);
    return JSON.parse(out).decision;
  };

  it('does not split a chain: density 1', async () => {
    const chain = ['a', 'b', 'c', 'd'].map((id, index, all) =>
      echo(id, {}, index > 0 ? { depends_on: [all[index - 1]] } : {}),
    );
    expect(await decisionOf(chain)).toMatchObject({ density: 1, split: false });
  });

  it('splits independent tasks: density 0', async () => {
    const apart = ['a', 'b', 'c', 'd'].map((id) => ({ id, skill: 'debug.sleep', input: { ms: 200 } }));
    expect(await decisionOf(apart)).toMatchObject({ density: 0, split: true });
  });

  it('gives a diamond 5/6', async () => {
    const diamond = [
      echo('a', {}),
      echo('b', {}, { depends_on: ['a'] }),
      echo('c', {}, { depends_on: ['a'] }),
      echo('d', {}, { depends_on: ['b', 'c'] }),
    ];
    expect((await decisionOf(diamond)).density).toBeCloseTo(5 / 6, 3);
  });
});

describe('foldmesh doctor', () => {
  it('says what is in force and from where', async () => {
    await using at = await bench();
    await at.write('foldmesh.yaml', 'worker:\n  slots: 3\n');
    const { code, out } = await at.run(['doctor', '--json'], { FOLDMESH_LOG: 'error' });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      settings: expect.arrayContaining([
        { name: 'worker.slots', value: 3, from: 'foldmesh.yaml:2' },
        { name: 'log', value: 'error', from: 'FOLDMESH_LOG' },
        { name: 'gateway.slots', value: 16, from: 'default' },
      ]),
      problems: [],
    });
  });
});
