import { expect } from 'vitest';
import type { Bench, Ended, Started } from './command-line.ts';

/** A mesh in a process of its own, and the command in front of it. */
export interface CommandMesh {
  readonly url: string;
  readonly process: Started;
  /** Runs a command against this mesh. */
  run(...args: readonly string[]): Promise<Ended>;
  start(...args: readonly string[]): Started;
}

/** `foldmesh up` in the folder of a bench, on a free port. */
export const commandMesh = async (at: Bench, ...options: readonly string[]): Promise<CommandMesh> => {
  const process = at.start(['up', '--port', '0', ...options]);
  let said = '';
  process.process.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await process.says(/foldmesh is up on/);
  const url = /http:\/\/[\d.]+:\d+/.exec(said)?.[0] ?? '';
  const environment = { FOLDMESH_URL: url };
  return {
    url,
    process,
    run: (...args) => at.run(args, environment),
    start: (...args) => at.start(args, environment),
  };
};

/** Two steps, of which the second says what the first was given. */
export const echoJob = `name: two-steps
inputs: { word: hello }
labels: { team: platform }
plan:
  tasks:
    - { id: first, skill: debug.echo, input: { said: "\${inputs.word}" } }
    - { id: second, skill: debug.echo, input: { heard: "\${tasks.first.output.said}" } }
  result: "\${tasks.second.output.heard}"
`;

/** The one document that a command printed which went well. */
export const jsonOf = ({ code, out, err }: Ended) => {
  expect([code, code === 0 ? '' : err]).toEqual([0, '']);
  return JSON.parse(out);
};

/** A job of one task that takes so long. Milliseconds. */
export const sleepJob = (ms: number, more: object = {}): string =>
  JSON.stringify({
    name: 'sleep',
    ...more,
    plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms } }], result: '${tasks.a.output.ms}' },
  });

/** Files of an agent that asks a person for a colour before it answers, and of a job that is its task. */
export const colourFiles: Readonly<Record<string, string>> = {
  'foldmesh.yaml': 'agents: agents\nscripts: scripts\n',
  'agents/chooser.yaml':
    'name: chooser\ninstructions: Ask which colour, then answer.\nmodel: scripted/chooser\ntools: [person.ask]\n' +
    'answer: { type: object, properties: { colour: { type: string } }, required: [colour], additionalProperties: false }\n',
  'scripts/chooser.yaml':
    'turns:\n  - calls: [{ name: person.ask, input: { question: "Which colour?", options: [red, blue] } }]\n' +
    '  - - { when: red, calls: [{ name: answer, input: { colour: red } }] }\n' +
    '    - { calls: [{ name: answer, input: { colour: blue } }] }\n',
  'paint.yaml':
    'name: paint\nplan:\n  tasks: [{ id: choose, agent: chooser, input: {} }]\n  result: "${tasks.choose.output.colour}"\n',
};
