import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import {
  type Draft,
  decodeJson,
  fault,
  isJsonObject,
  JobId,
  type Json,
  keyOf,
  ok,
  PoolName,
  shardOf,
  TaskId,
  TenantId,
  traceIdFrom,
} from '@foldmesh/envelope';
import { Script, scriptedModel } from '@foldmesh/models';
import type { Delivery, Model, ModelReply, ModelRequest } from '@foldmesh/ports';
import { Agent, type AgentInput } from '@foldmesh/run';
import { blobValues, send } from '@foldmesh/runtime';
import { fakeHost, fakePorts, toolCall } from '@foldmesh/runtime/internal';
import { expect, test } from 'vitest';
import { modelCalls } from './ask-model.ts';
import { workerService } from './service.ts';
import { toolShelf } from './tool-shelf.ts';

const [tenant, job] = [TenantId.parse('acme'), JobId.parse('j-1')];
const pool = PoolName.parse('default');
const taskKey = keyOf({ tenant, job, task: TaskId.parse('t'), round: 1, step: '3', call: '0' });
const schema = {
  type: 'object',
  properties: { verdict: { enum: ['fine', 'unclear'] } },
  required: ['verdict'],
  additionalProperties: false,
};

const assignment = (input: Json): Draft<'task.assign'> => ({
  type: 'task.assign',
  lane: 'decide',
  to: { service: 'worker', pool },
  key: taskKey,
  attempt: 1,
  payload: { tasks: [{ key: taskKey, run: { kind: 'agent', name: 'judge' }, input, probes: [['verdict']] }] },
});

const payloadOf = ({ body }: Delivery): Json => {
  const read = decodeJson(body);
  return read.ok && isJsonObject(read.value) ? (read.value['payload'] ?? null) : null;
};

/** Runs one agent in a worker of its own, and gives what it told the manager and what its model was sent. */
const judged = async (model: Model, more: Partial<AgentInput> = {}) => {
  const clock = virtualClock();
  const random = seededRandom(1);
  const ports = { ...embedded({ clock, random }), clock, random, log: () => undefined };
  const requests: ModelRequest[] = [];
  const definition = Agent.parse({
    name: 'judge',
    instructions: 'Judge.',
    model: 'scripted/judge',
    answer: schema,
    ...more,
  });
  const work = async () => {
    const worker = await workerService(ports, {
      pool,
      gatewayPool: pool,
      slots: 2,
      skills: [],
      pipelines: new Map(),
      agents: [{ definition, digest: 'a'.repeat(64) as never }], // any digest does
      model: {
        reply(request, signal) {
          requests.push(request);
          return model.reply(request, signal);
        },
      },
      exit: undefined,
    }).start();
    if (!worker.ok) throw new Error(worker.fault.detail);
    const at = clock.now();
    const stamp = { sender: 'manager' as never, at, since: at, epoch: 0, trace_id: traceIdFrom('a job') }; // a party's name
    await send(ports, assignment({ path: 'a.md' }), stamp);
    const settles = await ports.bus.subscribe({ service: 'manager', pool: shardOf(job), lane: 'decide' });
    if (!settles.ok) throw new Error(settles.fault.detail);
    const [settle] = await settles.value.pull(1, new AbortController().signal);
    await worker.value.stop(0);
    return settle === undefined ? null : payloadOf(settle);
  };
  const settle = await clock.run(work());
  return { settle, requests };
};

const scripted = (...turns: readonly unknown[]): Model =>
  scriptedModel(new Map(turns.length === 0 ? [] : [['scripted/judge', Script.parse({ turns })]]));
const saying = (reply: Partial<ModelReply>): Model => ({
  reply: () =>
    Promise.resolve({
      ok: true,
      value: { text: '', calls: [], usage: { input_tokens: null, output_tokens: null }, ...reply },
    }),
});
const answer = (input: Json) => ({ calls: [{ name: 'answer', input }] });

test('C083: made-up names, wrong shapes and mere words are told back, and the right answer ends the task', async () => {
  const { settle, requests } = await judged(
    scripted(
      { calls: [{ name: 'verdict\n' }] },
      answer({ verdict: 'guilty', why: 'so' }),
      { text: 'It is fine.' },
      { text: '' },
      answer({ verdict: 'fine' }),
    ),
  );
  expect(settle).toMatchObject({
    results: [
      {
        outcome: { kind: 'done', output: { value: { verdict: 'fine' } } },
        probed: [{ length: null }],
        usage: { model_calls: 5, tool_calls: 0 },
      },
    ],
  });
  const last = requests.map(({ messages }) => messages.at(-1)?.text);
  expect(last).toEqual([
    '{"path":"a.md"}',
    'there is no tool of this name; you may call: answer',
    expect.stringMatching(
      /^the answer does not have the shape that was asked for: .*answer\/verdict must be/,
    ),
    expect.stringMatching(/^That was not an answer/),
    expect.stringMatching(/^That was not an answer/),
  ]);
});

test('without a declared answer the last words are the result', async () => {
  const { settle } = await judged(saying({ text: 'fine' }), { answer: undefined });
  expect(settle).toMatchObject({
    results: [{ outcome: { output: { value: 'fine' } }, probed: [{ missing: expect.anything() }] }],
  });
});

test('who asked for what was set aside hears of it in the pool of this worker', () => {
  const fake = fakePorts();
  const gpu = PoolName.parse('gpu');
  const { refusal } = modelCalls(
    fakeHost(fake),
    scripted(),
    blobValues(fake.ports.blobs),
    toolShelf(fake.ports),
    gpu,
  );
  const { headers } = toolCall(7, 0);
  const why = fault('invalid', 'it cannot be read');
  expect(refusal?.(headers, why)).toEqual(
    ok({
      type: 'model.settle',
      to: { service: 'worker', pool: gpu },
      key: headers.key,
      attempt: 1,
      payload: { kind: 'failed', fault: why },
    }),
  );
});

test.each([
  ['names what is not there', { $ref: '#/$defs/nowhere' }, 'fine', 'nowhere'],
  ['tries for ever', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`, 'timed out after 1000 ms'],
])('a schema that %s ends the task, and names the agent whose it is', async (_, verdict, said, why) => {
  const broken = { type: 'object', properties: { verdict } };
  const { settle, requests } = await judged(saying(answer({ verdict: said })), { answer: broken });
  expect(requests).toHaveLength(1);
  const detail = expect.stringMatching(
    `^agent judge, turn 1: the schema of its answer cannot be used: .*${why}`,
  );
  expect(settle).toMatchObject({
    results: [{ outcome: { kind: 'failed', fault: { kind: 'invalid', detail } } }],
  });
});

test('a schema whose verdict would be a promise is used as one that says it at once', async () => {
  const { settle, requests } = await judged(
    scripted(answer({ verdict: 'guilty' }), answer({ verdict: 'fine' })),
    { answer: { ...schema, $async: true } },
  );
  expect(requests).toHaveLength(2);
  expect(settle).toMatchObject({ results: [{ outcome: { output: { value: { verdict: 'fine' } } } }] });
});

test('a long answer lies in the blob store', async () => {
  const { settle } = await judged(saying({ text: 'x'.repeat(1_000) }), { answer: undefined });
  expect(settle).toMatchObject({ results: [{ outcome: { output: { ref: { bytes: 1_002 } } } }] });
});

test('arguments that cannot be read are told back as such', async () => {
  let turn = 0;
  const { requests } = await judged({
    reply(request, signal) {
      turn += 1;
      const broken = { calls: [{ name: 'answer', input: {}, problem: 'no JSON at 1:3' }] };
      return saying(turn === 1 ? broken : answer({ verdict: 'fine' })).reply(request, signal);
    },
  });
  expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'no JSON at 1:3', failed: true });
});

test('of more calls than a turn may hold the model is told which were not made', async () => {
  const many = Array.from({ length: 130 }, (_, n) => ({ name: `none-${n}`, input: {} }));
  let turn = 0;
  const { requests } = await judged({
    reply(request, signal) {
      turn += 1;
      return saying(turn === 1 ? { calls: many } : answer({ verdict: 'fine' })).reply(request, signal);
    },
  });
  const results = requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results).toHaveLength(128);
  expect(results.at(-1)).toMatchObject({
    name: 'none-127',
    text: expect.stringMatching(/; a turn may hold 128 calls: this one and 2 more were not made$/),
    failed: true,
  });
  expect(results.at(-2)?.text).toContain('there is no tool of this name');
});

test('a model that refuses ends the task with its reason, after one request', async () => {
  const { settle, requests } = await judged(scripted({ fault: { kind: 'refused', detail: 'not that' } }));
  expect(requests).toHaveLength(1);
  expect(settle).toMatchObject({
    results: [
      {
        outcome: {
          kind: 'failed',
          fault: {
            kind: 'refused',
            detail: expect.stringMatching(/^agent \S+, turn 1: not that$/),
          },
        },
      },
    ],
  });
});

test('C061: a model that never answers is asked as often as its limit says', async () => {
  const { settle, requests } = await judged(saying({ text: 'hm' }), { limits: { turns: 4 } });
  expect(requests).toHaveLength(4);
  expect(settle).toMatchObject({
    results: [
      {
        outcome: {
          fault: {
            detail: expect.stringMatching(
              /^agent judge, turn 4: no answer within 4 turns; it had last said: hm$/,
            ),
          },
        },
        usage: { model_calls: 4 },
      },
    ],
  });
});
