import type { Body, Type } from '../catalogue.ts';
import type { Draft } from '../envelope.ts';
import { Digest, PoolName } from '../ids.ts';
import { Key } from '../key.ts';
import type { Reply } from '../model-call.ts';
import type { Outcome } from '../outcome.ts';
import type { Address } from '../party.ts';

const pool = PoolName.parse('default');
const manager: Address = { service: 'manager', pool: PoolName.parse('10') };
const worker: Address = { service: 'worker', pool };
const gateway: Address = { service: 'tool-gateway', pool };
const memory: Address = { service: 'memory', pool };
const key = (tail: string): Key => Key.parse(`acme/j-7f3d/${tail}`);
const blob = { digest: Digest.parse('ab'.repeat(32)), bytes: 70_000 };
const soon = 1_800_000_060_000;
const reply_to = 'mesh.v1.reply.worker-7';

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

const bundle: Body<'task.assign'> = {
  tasks: [
    { key: key('list/1/17/0'), run: { kind: 'tool', name: 'files.list' }, input: { path: '.' } },
    {
      key: key('page/1/17/1'),
      run: { kind: 'pipeline', name: 'pipeline.inline', inline: { steps: [{ render: '${a}' }] } },
      input: null,
      item: { of: { value: { rows: [1, 2] }, path: ['rows'] }, from: 1, to: 2, single: true },
    },
  ],
  attempts: [1, 3],
};

const times = { worker: 'worker-7', started_at: 1_800_000_000_100, ended_at: 1_800_000_002_300 } as const;

const fault = {
  kind: 'unavailable',
  detail: 'no route',
  source: 'tool-gateway',
  retry_after_ms: 2_000,
} as const;

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

/** Each way in which a request may end. */
const outcomes: readonly (readonly [suffix: string, outcome: Outcome])[] = [
  ['', { kind: 'failed', fault }],
  ['-done', { kind: 'done', output: { value: { findings: ['GPL-3.0', 'ünïcödé 🦊'], '€': 1e21, ö: -0.5 } } }],
  ['-blob', { kind: 'done', output: { ref: blob } }],
  ['-unknown', { kind: 'unknown', open: { call: 'mail.send {"to":"a"}', detail: 'no answer came' } }],
  ['-cancelled', { kind: 'cancelled' }],
  ['-paused', { kind: 'paused', question: 'May GPL-3.0 stay?', schema: { type: 'boolean' } }],
];

const toolSettle: Draft<'tool.settle'> = {
  type: 'tool.settle',
  to: worker,
  key: key('review/1/9/0'),
  attempt: 1,
  payload: { outcome: { kind: 'cancelled' } },
};

const taskSettle = (tail: string, attempt: number, outcome: Outcome): Draft<'task.settle'> => ({
  type: 'task.settle',
  to: manager,
  key: key(tail),
  attempt,
  payload: { results: [{ key: key(tail), attempt, outcome, ...times }] },
});

/** One of each type: a type without one fails to compile. */
export const goldenDrafts: { readonly [T in Type]: Draft<T> } = {
  'job.submit': {
    type: 'job.submit',
    to: manager,
    key: key('_job/1/0/c-81'),
    attempt: 1,
    payload: { spec: { name: 'licence-audit', goal: 'Which licences?', budget: { wall_ms: 600_000 } } },
    reply_to: 'mesh.v1.reply.api-1',
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
  'task.settle': taskSettle('audit~3/1/17/4', 2, { kind: 'failed', fault }),
  'tool.call': {
    type: 'tool.call',
    to: gateway,
    key: key('audit~3/1/2-0-1/0'),
    attempt: 2,
    payload: { tool: 'files.read', input: { path: 'LICENSE' } },
    deadline: soon,
    reply_to,
  },
  'tool.settle': toolSettle,
  'model.call': {
    type: 'model.call',
    to: worker,
    key: key('review/1/5/0'),
    attempt: 1,
    payload: { agent: 'licence.reviewer' },
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
    deadline: soon,
  },
  'memory.query': {
    type: 'memory.query',
    to: memory,
    key: key('review/1/14/1'),
    attempt: 1,
    payload: { text: 'left-pad', tags: ['licence'], this_job: false, limit: 10 },
    deadline: soon,
  },
  'memory.settle': { ...toolSettle, type: 'memory.settle', key: key('review/1/14/1') },
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

/** The other shapes that a payload may have, by name of their fixture. */
export const goldenVariants: readonly (readonly [name: string, draft: Draft])[] = [
  ['job.cancel-bare', { ...goldenDrafts['job.cancel'], payload: {} }],
  ['input.ask-bare', { ...goldenDrafts['input.ask'], payload: { task: key('b/1/4/0'), question: '?' } }],
  ['memory.write-bare', { ...goldenDrafts['memory.write'], payload: { text: 'x' } }],
  ['memory.query-bare', { ...goldenDrafts['memory.query'], payload: {}, reply_to }],
  [
    'tool.call-agent',
    { ...goldenDrafts['tool.call'], key: key('review/1/9/0'), attempt: 1, reply_to: undefined },
  ],
  [
    'task.assign-bundle',
    { ...goldenDrafts['task.assign'], key: key('_job/1/17/0'), attempt: 1, payload: bundle },
  ],
  [
    'task.assign-agent',
    {
      ...goldenDrafts['task.assign'],
      lane: 'decide',
      key: key('review/1/4/0'),
      attempt: 1,
      payload: {
        tasks: [{ key: key('review/1/4/0'), run: { kind: 'agent', name: 'licence.reviewer' }, input: {} }],
      },
    },
  ],
  ...outcomes.flatMap(([suffix, outcome]): [string, Draft][] => [
    [`tool.settle${suffix || '-failed'}`, { ...toolSettle, payload: { outcome } }],
    [`memory.settle${suffix || '-failed'}`, { ...goldenDrafts['memory.settle'], payload: { outcome } }],
    [`task.settle${suffix || '-failed'}`, taskSettle('audit~4/1/17/5', 1, outcome)],
  ]),
  [
    'task.settle-agent',
    {
      ...goldenDrafts['task.settle'],
      payload: {
        results: [
          {
            key: key('audit~3/1/17/4'),
            attempt: 2,
            outcome: { kind: 'done', output: { value: 1 } },
            ...times,
            usage: { tool_calls: 3, model_calls: 7 },
            probed: [{ length: 2 }, { length: null }, { missing: 'there is no field b' }],
          },
        ],
      },
    },
  ],
  ['model.settle-failed', { ...goldenDrafts['model.settle'], payload: { kind: 'failed', fault } }],
  ['model.settle-cancelled', { ...goldenDrafts['model.settle'], payload: { kind: 'cancelled' } }],
  [
    'model.settle-bare',
    { ...goldenDrafts['model.settle'], payload: { kind: 'done', reply: { text: '', calls: [] } } },
  ],
];
