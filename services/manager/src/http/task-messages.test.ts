import { encodeJson, JobId, type Json, keyOf, TaskId, wireIdOf } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { type Answer, body, echo, jobOf, stories, type TestApi, tenant } from './testing/test-api.ts';

const story = stories(it);

/** A run as its worker would have written it. */
const runOf = (job: string) => {
  const task = TaskId.parse('a');
  const entity = { tenant, job: JobId.parse(job), run: { task, round: 1 } };
  const key = keyOf({ tenant, job: entity.job, task, round: 1, step: '3', call: '0' });
  return { entity, key };
};

const append = async (api: TestApi, job: string, events: readonly Json[], first = 0): Promise<void> => {
  const { entity } = runOf(job);
  const last = await api.ports.journal.last(entity);
  const expected = last.ok ? (last.value?.seq ?? 0) : 0;
  const entry = encodeJson({ v: 1, causes: [], at: api.clock.now(), first, events, tail_bytes: 0 });
  const stored = await api.ports.journal.append({
    entity,
    entry,
    expected,
    id: wireIdOf('entry', job, first, 0),
  });
  expect(stored).toMatchObject({ ok: true, value: { kind: 'stored' } });
};

const begin = (job: string, at: number): Json => ({
  kind: 'run-started',
  v: 1,
  key: runOf(job).key,
  attempt: 1,
  pool: 'default',
  trace_id: 'a'.repeat(32),
  agent: {
    name: 'test-asker',
    instructions: 'Find it.',
    model: 'scripted/finder',
    tools: ['files.search'],
    limits: { turns: 5, parallel: 2, group_ms: 1_000 },
  },
  tools: [{ name: 'files.search', by: 'gateway', terminal: false }],
  part: {
    key: runOf(job).key,
    run: { kind: 'agent', name: 'test-asker' },
    input: 'look for ${inputs.what} in ${inputs.where}',
  },
  bind: { 'inputs.what': { value: 'gold' } },
  at,
});

const asked = (at: number): Json => ({ kind: 'model-asked', v: 1, turn: 0, at });

const replied = (more: { readonly [field: string]: Json }, at: number): Json => ({
  kind: 'model-replied',
  v: 1,
  text: '',
  calls: [],
  ...more,
  at,
});

const search = { name: 'files.search', input: { for: 'gold' }, by: 'gateway' };

describe('GET /v1/jobs/{id}/tasks/{task}/messages', () => {
  const agentJob = jobOf([{ id: 'a', agent: 'test-asker', input: {} }, echo('b')], { goal: 'riches' });

  story('tells what the agent saw and said, in order, with what it cost', async (api) => {
    const job = await api.submit(agentJob);
    const at = api.clock.now();
    const output = ['x'.repeat(1_000)];
    const ref = await api.ports.blobs.put(tenant, JobId.parse(job), encodeJson(output));
    const found = { kind: 'output', output: { ref: ref.ok ? ref.value : null } };
    const made = { ...search, name: 'files.eat', problem: 'there is no tool files.eat' };
    await append(api, job, [
      begin(job, at),
      asked(at),
      replied(
        { text: 'I look.', calls: [search, made], usage: { input_tokens: 10, output_tokens: 5 } },
        at + 1,
      ),
      { kind: 'calls-sent', v: 1, calls: [0], at: at + 1 },
      { kind: 'call-returned', v: 1, call: 0, answer: found, at: at + 2 },
      asked(at + 2),
      replied({ text: 'Done.', usage: { input_tokens: 20, output_tokens: null } }, at + 3),
      { kind: 'run-completed', v: 1, answer: { value: 'Done.' }, at: at + 3 },
    ]);
    const told = await body(await api.get(`/v1/jobs/${job}/tasks/a/messages`));
    expect(told).toEqual({
      job,
      task: 'a',
      round: 1,
      agent: 'test-asker',
      model: 'scripted/finder',
      status: 'completed',
      usage: { input_tokens: 30, output_tokens: 5 },
      messages: [
        {
          role: 'system',
          text: expect.stringMatching(/^Find it\.\n\nThe job's goal: riches\n\nYour limits: 5 turns, /),
          at,
        },
        { role: 'user', text: 'look for gold in ${inputs.where}', at },
        {
          role: 'assistant',
          text: 'I look.',
          calls: [
            { id: 'c0-0', name: 'files.search', input: { for: 'gold' } },
            { id: 'c0-1', name: 'files.eat', input: { for: 'gold' } },
          ],
          usage: { input_tokens: 10, output_tokens: 5 },
          at: at + 1,
        },
        {
          role: 'tool',
          call: 'c0-1',
          name: 'files.eat',
          text: made.problem,
          failed: true,
          at: at + 1,
        },
        {
          role: 'tool',
          call: 'c0-0',
          name: 'files.search',
          text: JSON.stringify(output),
          failed: false,
          at: at + 2,
        },
        {
          role: 'assistant',
          text: 'Done.',
          calls: [],
          usage: { input_tokens: 20, output_tokens: null },
          at: at + 3,
        },
      ],
    });
    const paged: Answer[] = [];
    for (let after: number | undefined = -1; after !== undefined; ) {
      const page: Answer = await body(
        await api.get(`/v1/jobs/${job}/tasks/a/messages?limit=4${after < 0 ? '' : `&after=${after}`}`),
      );
      paged.push(...page.messages);
      after = page.next;
    }
    expect(paged).toEqual(told.messages);
  });

  story('tells a text whole up to 64 KiB, and cuts a longer one, whoever said it', async (api) => {
    const job = await api.submit(agentJob);
    const at = api.clock.now();
    const [whole, long] = ['w'.repeat(64 * 1024), 'l'.repeat(64 * 1024 + 1)];
    const returned = (call: number, value: string): Json => ({
      kind: 'call-returned',
      v: 1,
      call,
      answer: { kind: 'output', output: { value } },
      at,
    });
    const made = { ...search, problem: long };
    await append(api, job, [
      begin(job, at),
      asked(at),
      replied({ text: whole, calls: [search, search, made] }, at),
      { kind: 'calls-sent', v: 1, calls: [0, 1], at },
      returned(0, whole),
      returned(1, long),
      asked(at),
      replied({ text: long }, at),
    ]);
    const { messages } = await body(await api.get(`/v1/jobs/${job}/tasks/a/messages`));
    const shownAs = (text: string): string => {
      if (text === whole) return 'whole';
      return text.length > 60_000 && Buffer.byteLength(text) <= 64 * 1024 ? 'cut' : text;
    };
    const told = messages.map(({ text }: Answer) => shownAs(text));
    expect(told.slice(1)).toEqual([
      'look for gold in ${inputs.where}',
      'whole',
      'cut',
      'whole',
      'cut',
      'cut',
    ]);
  });

  story('fetches no output but those of the page that is read', async (api) => {
    const job = await api.submit(agentJob);
    const at = api.clock.now();
    const gone = { digest: 'd'.repeat(64), bytes: 1_000 };
    await append(api, job, [
      begin(job, at),
      asked(at),
      replied({ calls: [search] }, at),
      { kind: 'calls-sent', v: 1, calls: [0], at },
      { kind: 'call-returned', v: 1, call: 0, answer: { kind: 'output', output: { ref: gone } }, at },
      asked(at),
      replied({ text: 'Done.' }, at),
    ]);
    const path = `/v1/jobs/${job}/tasks/a/messages`;
    for (const [query, roles] of [
      ['limit=3', ['system', 'user', 'assistant']],
      ['after=3', ['assistant']],
    ] as const) {
      const { messages } = await body(await api.get(`${path}?${query}`));
      expect(messages.map(({ role }: Answer) => role)).toEqual(roles);
    }
    expect((await api.get(`${path}?after=2&limit=1`)).status).not.toBe(200);
  });

  story('has what the agent was told after a turn that led nowhere', async (api) => {
    const job = await api.submit(agentJob);
    const at = api.clock.now();
    const lost = { kind: 'fault', fault: { kind: 'unavailable', detail: 'away' } };
    await append(api, job, [
      begin(job, at),
      asked(at),
      replied({ text: ' ' }, at),
      asked(at + 1),
      replied({ calls: [search] }, at + 1),
      { kind: 'calls-sent', v: 1, calls: [0], at: at + 1 },
      { kind: 'call-returned', v: 1, call: 0, answer: lost, at: at + 2 },
    ]);
    const { messages } = await body(await api.get(`/v1/jobs/${job}/tasks/a/messages`));
    expect(messages.slice(2)).toMatchObject([
      { role: 'assistant', text: ' ', calls: [] },
      { role: 'user', text: expect.stringContaining('That was not an answer') },
      { role: 'assistant', calls: [{ id: 'c1-0' }] },
      { role: 'tool', call: 'c1-0', text: 'unavailable: away', failed: true },
    ]);
  });

  story('makes up no answer of a call that is still out', async (api) => {
    const job = await api.submit(agentJob);
    const at = api.clock.now();
    await append(api, job, [begin(job, at), asked(at), replied({ calls: [search] }, at)]);
    await append(api, job, [{ kind: 'calls-sent', v: 1, calls: [0], at }], 3);
    const told = await body(await api.get(`/v1/jobs/${job}/tasks/a/messages`));
    expect(told.status).toBe('tool_calling');
    expect(told.messages.map(({ role }: Answer) => role)).toEqual(['system', 'user', 'assistant']);
    const journal = await body(await api.get(`/v1/jobs/${job}/journal?task=a&at=2`));
    expect(journal).toMatchObject({ task: 'a', round: 1, at: 2, state: { status: 'model_calling' } });
    expect(journal.entries).toHaveLength(2);
  });

  story('says in words why there are none', async (api) => {
    const job = await api.submit(agentJob);
    await api.clock.sleep(100);
    const skill = await body(await api.get(`/v1/jobs/${job}/tasks/b/messages`));
    expect(skill).toMatchObject({
      status: 404,
      code: 'no_messages',
      title: 'The task b is no agent, so nobody talked',
      detail: expect.stringContaining('skill test.echo'),
    });
    for (const path of ['a/messages', 'a/messages?round=2', 'c/messages'])
      expect(await body(await api.get(`/v1/jobs/${job}/tasks/${path}`))).toMatchObject({ code: 'not_found' });
  });
});
