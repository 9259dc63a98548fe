import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, recordIn } from './command-line.ts';

/** A folder with an agent that asks a person before it answers, and a job that is its task. */
const withAgent = async (): Promise<Bench> => {
  const at = await bench();
  for (const folder of ['agents', 'scripts']) await mkdir(join(at.folder, folder));
  await at.write('foldmesh.yaml', 'agents: agents\nscripts: scripts\n');
  await at.write(
    'agents/chooser.yaml',
    'name: chooser\ninstructions: Ask which colour, then answer.\nmodel: scripted/chooser\ntools: [person.ask]\n' +
      'answer: { type: object, properties: { colour: { type: string } }, required: [colour], additionalProperties: false }\n',
  );
  await at.write(
    'scripts/chooser.yaml',
    'turns:\n  - calls: [{ name: person.ask, input: { question: "Which colour for ${input.what}?", options: [red, blue] } }]\n' +
      '  - - { when: red, calls: [{ name: answer, input: { colour: red } }] }\n    - { calls: [{ name: answer, input: { colour: blue } }] }\n',
  );
  await at.write(
    'job.yaml',
    'name: paint\nplan:\n  tasks:\n    - { id: choose, agent: chooser, input: { what: the door } }\n  result: "${tasks.choose.output.colour}"\n',
  );
  return at;
};

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape it is about to check.
const read = async (url: string, init?: RequestInit): Promise<any> => (await fetch(url, init)).json();

describe('an agent that asks a person', () => {
  it('is answered by what the command line gives', async () => {
    await using at = await withAgent();
    const ended = await at.run(['run', 'job.yaml', '--json', '--answer', 'red']);
    expect(ended.err).toContain('Which colour for the door? (red | blue)');
    expect([ended.code, recordIn(ended).result]).toEqual([0, 'red']);
    expect(recordIn(ended)).toMatchObject({ usage: { model_calls: 2, tool_calls: 1 }, requests: [] });
  });

  it('is cancelled, and says how to answer, where nobody can', async () => {
    await using at = await withAgent();
    for (const [args, code, says] of [
      [[], 1, /give --answer/],
      [['--answer', 'green'], 2, /^--answer green: that is none of red, blue$/m],
    ] as const) {
      const ended = await at.run(['run', 'job.yaml', '--json', ...args]);
      expect([ended.code, recordIn(ended).status]).toEqual([code, 'cancelled']);
      expect(ended.err).toMatch(says);
    }
  });

  it('is not begun where nobody offers one of its tools, which plan and doctor say as well', async () => {
    await using at = await withAgent();
    await at.write(
      'agents/chooser.yaml',
      'name: chooser\ninstructions: Ask.\nmodel: scripted/chooser\ntools: [person.aks, memory.write]\n',
    );
    for (const command of ['plan', 'run']) {
      const { code, out, err } = await at.run([command, 'job.yaml']);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(
        /^job\.yaml:4: plan\.tasks\.0\.agent: task choose: agent chooser: no tool person\.aks is offered; there are .*; did you mean person\.ask\?\n$/,
      );
    }
    const { code, out } = await at.run(['doctor', '--json']);
    expect([code, JSON.parse(out).problems]).toEqual([
      1,
      [
        expect.stringMatching(
          /^agents\/chooser\.yaml: agent chooser names the tool person\.aks, .*: correct the name, .*; did you mean person\.ask\?$/,
        ),
      ],
    ]);
  });

  it('is not begun where its model or its script cannot be: one line each, with what is wrong and where', async () => {
    await using at = await withAgent();
    const agent = (model: string) => `name: other\ninstructions: Go.\nmodel: ${model}\n`;
    for (const model of ['scripted/nobody', 'openai/gpt-5']) {
      await at.write('agents/other.yaml', agent(model));
      const ended = await at.run(['plan', 'job.yaml']);
      expect([ended.code, ended.err.trimEnd()]).toEqual([
        2,
        `agents/other.yaml: model: there is no ${model}; there are scripted/chooser`,
      ]);
    }
    await at.write('agents/other.yaml', agent('scripted/chooser'));
    for (const [turn, says] of [
      ['fault: { status: "503" }', /^scripts\/chooser\.yaml:2: turns\.0\.fault\.status: .*expected number/],
      ['fault: { kind: throttled }', /^scripts\/chooser\.yaml:2: turns\.0\.fault\.detail: /],
      ['calls: [{ nam: answer }]', /^scripts\/chooser\.yaml:2: turns\.0\.calls\.0\..*nam/],
    ] as const) {
      await at.write('scripts/chooser.yaml', `turns:\n  - ${turn}\n`);
      const ended = await at.run(['plan', 'job.yaml']);
      expect(ended.code).toBe(2);
      expect(ended.err).toMatch(says);
    }
  });

  it('waits in `foldmesh up` until somebody answers over HTTP', async () => {
    await using at = await withAgent();
    const up = at.start(['up', '--port', '0']);
    let said = '';
    up.process.stdout?.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    await up.says(/http:\/\/127\.0\.0\.1:\d+/);
    const base = `${/http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]}/v1/jobs`;
    const body = JSON.stringify({
      name: 'paint',
      plan: {
        tasks: [{ id: 'choose', agent: 'chooser', input: { what: 'the door' } }],
        result: '${tasks.choose.output.colour}',
      },
    });
    const { id } = await read(base, { method: 'POST', body });
    const stream = (await fetch(`${base}/${id}/events`)).body?.pipeThrough(new TextDecoderStream());
    let events = '';
    for await (const text of stream ?? []) {
      events += text;
      if (/^event: input-asked$/m.test(text)) {
        const waiting = await read(`${base}/${id}`);
        const [{ request }] = waiting.requests;
        expect(waiting.tasks[0]).toMatchObject({ id: 'choose', wait: { reason: 'answer', on: request } });
        const wrong = await fetch(`${base}/${id}/inputs/${request}`, {
          method: 'POST',
          body: '{"value":"green"}',
        });
        expect(wrong.status).toBe(400);
        const right = await fetch(`${base}/${id}/inputs/${request}`, {
          method: 'POST',
          body: '{"value":"blue"}',
        });
        expect(right.status).toBe(202);
        const late = await fetch(`${base}/${id}/inputs/${request}`, {
          method: 'POST',
          body: '{"value":"red"}',
        });
        // Answered already, or with the job ended nobody asks any more.
        expect([404, 409]).toContain(late.status);
      }
    }
    expect(events.match(/^event: (input-answered|job-completed)$/gm)).toEqual([
      'event: input-answered',
      'event: job-completed',
    ]);
    expect(await read(`${base}/${id}`)).toMatchObject({ status: 'completed', result: 'blue' });
  });
});
