import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Body, catalogue, kindOf, type Type } from './catalogue.ts';
import type { Address, Draft } from './envelope.ts';
import { type RawHeaders, readHeaders, writeHeaders } from './headers.ts';
import { Digest, PoolName, TraceId, WireId } from './ids.ts';
import { invariant } from './invariant.ts';
import { Key } from './key.ts';
import type { Reply } from './model-call.ts';
import { openOuter, openPayload } from './open.ts';
import { seal } from './seal.ts';

/** A message as it lay on the wire; the body is kept as text, so that not a byte of it is anybody's to rearrange. */
interface Fixture {
  readonly subject: string;
  readonly headers: RawHeaders;
  readonly body: string;
}

const folder = new URL('../fixtures/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
);

/** `tool.settle-paused.json` is another message of the type `tool.settle`. */
const typeIn = (file: string): string => file.replace(/^v\d+\/|(-[a-z]+)?\.json$/g, '');

const fixtureIn = (file: string): Fixture =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Fixture; // written below

describe('golden fixtures', () => {
  it('are there for each type in the version that we write', () => {
    const types = Object.keys(catalogue) as Type[]; // its keys, by definition of the type
    const wanted = types.map((type) => `v${kindOf(type).v}/${type}.json`);
    expect(wanted.filter((file) => !files.includes(file))).toEqual([]);
  });

  it.each(files)('%s decodes, and will for ever', (file) => {
    const fixture = fixtureIn(file);
    const headers = readHeaders(fixture.headers);
    invariant(headers.ok, headers.ok ? '' : headers.fault.detail);
    const outer = openOuter(headers.value, new TextEncoder().encode(fixture.body));
    invariant(outer.ok, outer.ok ? '' : outer.fault.detail);
    const envelope = openPayload(headers.value, outer.value);
    expect(envelope).toMatchObject({
      ok: true,
      value: { type: typeIn(file), id: headers.value.id },
    });
    expect(fixture.subject.startsWith('mesh.v1.')).toBe(true);
  });
});

const pool = PoolName.parse('default');
const manager: Address = { service: 'manager', pool: PoolName.parse('10') };
const worker: Address = { service: 'worker', pool };
const gateway: Address = { service: 'tool-gateway', pool };
const memory: Address = { service: 'memory', pool };
const key = (tail: string): Key => Key.parse(`acme/j-7f3d/${tail}`);
const blob = { digest: Digest.parse('ab'.repeat(32)), bytes: 70_000 };

const assign: Body<'task.assign'> = {
  tasks: [
    {
      key: key('audit~3/1/17/4'),
      run: { kind: 'skill', name: 'licence.audit' },
      input: { packages: '${item}', root: '${inputs.root}' },
      item: { of: { ref: blob, path: ['entries'] }, from: 75, to: 100, single: false },
      probes: [['findings']],
    },
  ],
  attempts: [2],
  bind: { 'inputs.root': { value: '.' }, 'tasks.list.output': { list: [{ value: 1 }, { ref: blob }, null] } },
};

const settle: Body<'task.settle'> = {
  results: [
    {
      key: key('audit~3/1/17/4'),
      attempt: 2,
      outcome: { kind: 'done', output: { value: { findings: ['GPL-3.0', 'ünïcödé 🦊'] } } },
      worker: 'worker-7',
      started_at: 1_800_000_000_100,
      ended_at: 1_800_000_002_300,
      usage: { tool_calls: 3 },
      probed: [{ length: 2 }],
    },
  ],
};

const reply: Reply = {
  text: 'Let me see.',
  reasoning: { signature: 'c2ln' },
  calls: [
    { name: 'files.read', input: { path: 'LICENSE' } },
    { name: 'files.reed', input: {}, problem: 'no JSON at 1:3' },
    {
      name: 'answer',
      input: { ok: true },
      answer: { value: { ok: true } },
      probed: [{ missing: 'findings' }],
    },
  ],
  usage: { input_tokens: 1_200, output_tokens: null },
};

const fault = {
  kind: 'unavailable',
  detail: 'no route',
  source: 'tool-gateway',
  retry_after_ms: 2_000,
} as const;

/** One of each type: a type without one fails to compile. */
const drafts: { readonly [T in Type]: Draft<T> } = {
  'job.submit': {
    type: 'job.submit',
    to: manager,
    key: key('_job/1/0/c-81'),
    attempt: 1,
    payload: { spec: { name: 'licence-audit', goal: 'Which licences?', budget: { wall_ms: 600_000 } } },
  },
  'job.cancel': {
    type: 'job.cancel',
    to: manager,
    key: key('_job/1/0/c-82'),
    attempt: 1,
    payload: { reason: 'not needed' },
  },
  'job.settle': {
    type: 'job.settle',
    to: manager,
    key: key('_job/1/0/c-81'),
    attempt: 1,
    payload: {
      fault: { kind: 'throttled', detail: '100 messages wait for pool default', retry_after_ms: 2_000 },
    },
  },
  'job.halt': { type: 'job.halt', to: manager, key: key('_job/1/41/0'), attempt: 1, payload: {} },
  'task.assign': { type: 'task.assign', to: worker, key: key('audit~3/1/17/4'), attempt: 2, payload: assign },
  'task.settle': {
    type: 'task.settle',
    to: manager,
    key: key('audit~3/1/17/4'),
    attempt: 2,
    payload: settle,
  },
  'tool.call': {
    type: 'tool.call',
    to: gateway,
    key: key('audit~3/1/2-0-1/0'),
    attempt: 2,
    payload: { tool: 'files.read', input: { path: 'LICENSE' } },
    deadline: 1_800_000_060_000,
    reply_to: 'mesh.v1.reply.worker-7',
  },
  'tool.settle': {
    type: 'tool.settle',
    to: worker,
    key: key('review/1/9/0'),
    attempt: 1,
    payload: { outcome: { kind: 'failed', fault } },
  },
  'model.call': {
    type: 'model.call',
    to: worker,
    key: key('review/1/5/0'),
    attempt: 1,
    payload: { agent: 'licence.reviewer' },
    deadline: 1_800_000_600_000,
  },
  'model.settle': {
    type: 'model.settle',
    to: worker,
    key: key('review/1/5/0'),
    attempt: 1,
    payload: { kind: 'done', reply },
  },
  'memory.write': {
    type: 'memory.write',
    to: memory,
    key: key('review/1/14/0'),
    attempt: 1,
    payload: { text: 'left-pad is WTFPL', tags: ['licence'], data: { package: 'left-pad', since: null } },
    deadline: 1_800_000_060_000,
  },
  'memory.query': {
    type: 'memory.query',
    to: memory,
    key: key('review/1/14/1'),
    attempt: 1,
    payload: { text: 'left-pad', tags: ['licence'], this_job: false, limit: 10 },
    deadline: 1_800_000_060_000,
  },
  'memory.settle': {
    type: 'memory.settle',
    to: worker,
    key: key('review/1/14/1'),
    attempt: 1,
    payload: { outcome: { kind: 'done', output: { ref: blob } } },
  },
  'input.ask': {
    type: 'input.ask',
    to: manager,
    key: key('review/1/11/0'),
    attempt: 1,
    payload: { task: key('review/1/4/0'), question: 'May GPL-3.0 stay?', schema: { type: 'boolean' } },
  },
  'run.answer': {
    type: 'run.answer',
    to: worker,
    key: key('review/1/11/c-90'),
    attempt: 1,
    payload: { request: 'review/1/11/0', value: true, by: 'anna' },
  },
  'run.cancel': { type: 'run.cancel', to: worker, key: key('review/1/41/1'), attempt: 1, payload: {} },
  'timer.fire': {
    type: 'timer.fire',
    to: manager,
    key: key('_job/1/23/wake'),
    attempt: 1,
    payload: { due: 1_800_000_030_000 },
  },
};

/** Shapes that came after the fixture of their type, which stays as it is. */
const later: readonly (readonly [name: string, draft: Draft])[] = [
  [
    'tool.settle-paused',
    {
      ...drafts['tool.settle'],
      payload: { outcome: { kind: 'paused', question: 'May GPL-3.0 stay?', schema: { type: 'boolean' } } },
    },
  ],
  [
    'task.settle-agent',
    {
      ...drafts['task.settle'],
      key: key('review/1/4/0'),
      attempt: 1,
      payload: {
        results: [
          {
            key: key('review/1/4/0'),
            attempt: 1,
            outcome: { kind: 'failed', fault: { kind: 'refused', detail: 'turn_limit', source: 'agent' } },
            worker: 'licence.reviewer',
            started_at: 1_800_000_000_100,
            ended_at: 1_800_000_002_300,
            usage: { tool_calls: 3, model_calls: 7 },
          },
        ],
      },
    },
  ],
];

describe('what is written today', () => {
  // While version 1 is not frozen, `vitest run packages/envelope -u` writes the fixtures anew; then look at the diff.
  it.each([...Object.entries(drafts), ...later])(
    '%s is the golden fixture, byte for byte',
    async (name, draft) => {
      const { message } = seal(draft, {
        sender: 'worker.default',
        at: 1_800_000_000_000,
        since: 1_799_999_970_000,
        epoch: 1,
        trace_id: TraceId.parse('0af7651916cd43dd8448eb211c80319c'),
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        causation_id: WireId.parse('cd'.repeat(16)),
      });
      const fixture: Fixture = {
        subject: message.subject,
        headers: writeHeaders(message.headers),
        body: new TextDecoder().decode(message.body),
      };
      const file = `../fixtures/v${kindOf(draft.type).v}/${name}.json`;
      await expect(`${JSON.stringify(fixture, null, 2)}\n`).toMatchFileSnapshot(file);
    },
  );
});
