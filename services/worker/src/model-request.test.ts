import { embedded, seededRandom, virtualClock } from '@foldmesh/embedded';
import {
  encodeJson,
  fault,
  JobId,
  type Json,
  type Key,
  keyOf,
  ok,
  PoolName,
  TaskId,
  TenantId,
  traceIdFrom,
  wireIdOf,
} from '@foldmesh/envelope';
import { historyProblems } from '@foldmesh/models';
import type { Entity } from '@foldmesh/ports';
import { Agent, type RunEvent, type RunTool } from '@foldmesh/run';
import { blobValues, type Host, serve } from '@foldmesh/runtime';
import { expect, test } from 'vitest';
import { modelRequest } from './model-request.ts';
import { runEvents } from './run-events.ts';
import { toolShelf } from './tool-shelf.ts';

const at = 1_000_000;
const [tenant, job, task] = [TenantId.parse('acme'), JobId.parse('j-1'), TaskId.parse('t')];
const entity = { tenant, job, run: { task, round: 1 } };
const keyAt = (step: number): Key => keyOf({ tenant, job, task, round: 1, step: String(step), call: '0' });

const gone: RunTool = { name: 'files.gone', by: 'gateway', terminal: false };

const started = (input: Json, ...more: readonly RunTool[]): RunEvent => ({
  kind: 'run-started',
  v: 1,
  key: keyAt(3),
  attempt: 1,
  pool: PoolName.parse('default'),
  trace_id: traceIdFrom('a job'),
  agent: Agent.parse({
    name: 'clerk',
    instructions: 'Find it.',
    model: 'scripted/clerk',
    tools: ['memory.query'],
    answer: { type: 'object' },
  }),
  tools: [
    { name: 'memory.query', by: 'memory', terminal: false },
    { name: 'answer', by: 'run', terminal: true },
    ...more,
  ],
  part: { key: keyAt(3), run: { kind: 'agent', name: 'clerk' }, input },
  bind: {},
  at,
});
const asked: RunEvent = { kind: 'model-asked', v: 1, turn: 0, at };
const replied = (text = ''): RunEvent => ({
  kind: 'model-replied',
  v: 1,
  text,
  calls: [{ name: 'memory.query', input: {}, by: 'memory' }],
  at,
});
const back = (output: { value: Json } | { ref: Awaited<ReturnType<typeof putBlob>> }): RunEvent => ({
  kind: 'call-returned',
  v: 1,
  call: 0,
  answer: { kind: 'output', output },
  at,
});

type World = Awaited<ReturnType<typeof world>>;

/** A worker’s host over stores in memory. */
const world = async () => {
  const clock = virtualClock();
  const random = seededRandom(1);
  const ports = { ...embedded({ clock, random }), clock, random, log: () => undefined };
  let host: Host | undefined;
  const running = await serve('worker.default', ports, [
    async (given) => {
      host = given;
      return ok(undefined);
    },
  ]).start();
  if (host === undefined || !running.ok) throw new Error('no host');
  return { host, ports };
};

/** Writes a run’s journal, so many events an entry. */
const written = async ({ ports }: World, events: readonly RunEvent[], perEntry = 2): Promise<void> => {
  let expected = 0;
  for (let first = 0; first < events.length; first += perEntry) {
    const entry = {
      v: 1,
      causes: [],
      at,
      first,
      events: events.slice(first, first + perEntry),
      tail_bytes: 0,
    };
    const id = wireIdOf('entry', String(first), 1, 0);
    const stored = await ports.journal.append({ entity, entry: encodeJson(entry), expected, id });
    if (!stored.ok || stored.value.kind !== 'stored') throw new Error('not stored');
    expected = stored.value.seq;
  }
};

const putBlob = async ({ ports }: World, value: Json) => {
  const put = await ports.blobs.put(tenant, job, encodeJson(value));
  if (!put.ok) throw new Error(put.fault.detail);
  return put.value;
};

const requestAt = async ({ host }: World, step: number) => {
  const made = await modelRequest(host, blobValues(host.ports.blobs), toolShelf(host.ports), keyAt(step));
  if (!made.ok) throw new Error(made.fault.detail);
  expect(historyProblems(made.value.request)).toEqual([]);
  return made.value.request;
};

test('a model is sent what stood in the journal before the question, and its tools', async () => {
  const here = await world();
  await written(here, [
    started({ path: 'a.md' }),
    asked,
    replied('looking'),
    back({ value: 'a hit' }),
    asked,
  ]);
  const request = await requestAt(here, 4);
  expect(request).toMatchObject({
    model: 'scripted/clerk',
    instructions: expect.stringMatching(/^Find it\.\n\nYour limits: 20 turns, /),
  });
  expect(request.messages).toMatchObject([
    { role: 'user', text: '{"path":"a.md"}' },
    { role: 'assistant', text: 'looking', calls: [{ id: 'c0-0', name: 'memory.query' }] },
    { role: 'tool', call: 'c0-0', text: 'a hit', failed: false },
  ]);
  expect(request.tools.map(({ name }) => name)).toEqual(['memory.query', 'answer']);
});

test('M2: what is asked again is the same, also when the journal has grown since', async () => {
  const here = await world();
  await written(here, [started('find it'), asked, replied('looking'), back({ value: 1 }), asked]);
  expect((await requestAt(here, 1)).messages).toEqual([{ role: 'user', text: 'find it' }]);
  expect(await requestAt(here, 4)).toEqual(await requestAt(here, 4));
});

test('a result that lies in the blob store is fetched, a long one shown as its head and its tail', async () => {
  const here = await world();
  const ref = await putBlob(here, `head${'.'.repeat(40_000)}tail`);
  await written(here, [started({}), asked, replied(), back({ ref }), asked]);
  const { messages } = await requestAt(here, 4);
  const text = messages.at(-1)?.text ?? '';
  expect(text).toMatch(/^head\.+\n\[… 24008 characters left out: ask more narrowly …\]\n\.+tail$/);
  expect(text.length).toBeLessThan(16_100);
});

test('a cut never goes through a character', async () => {
  const here = await world();
  const text = `${'.'.repeat(7_999)}🦊${'-'.repeat(10_000)}🦊${'.'.repeat(7_999)}`;
  await written(here, [started({}), asked, replied(), back({ value: text }), asked]);
  const said = (await requestAt(here, 4)).messages.at(-1)?.text ?? '';
  expect(said).toMatch(/^\.{7999}\n\[… 10004 characters left out: ask more narrowly …\]\n\.{7999}$/);
  expect(said.isWellFormed()).toBe(true);
});

test('a run that began anew asks as it began last', async () => {
  const here = await world();
  const failed: RunEvent = {
    kind: 'run-failed',
    v: 1,
    end_reason: 'failed',
    fault: fault('unavailable', 'this worker has no agent clerk'),
    at,
  };
  await written(here, [started('first'), failed, started('second'), asked]);
  expect((await requestAt(here, 3)).messages).toEqual([{ role: 'user', text: 'second' }]);
});

test('a blob that is gone is a fault, not a hole in the history', async () => {
  const here = await world();
  const ref = { ...(await putBlob(here, 'x')), digest: 'a'.repeat(64) as never }; // a digest that nothing has
  await written(here, [started({}), asked, replied(), back({ ref }), asked]);
  const made = await modelRequest(here.host, blobValues(here.ports.blobs), toolShelf(here.ports), keyAt(4));
  expect(made.ok).toBe(false);
});

test('a model is not told of fewer tools than its run began with: the call waits until they are there', async () => {
  const { host, ports } = await world();
  await written({ host, ports }, [started({}, gone), asked]);
  const shelf = toolShelf(ports);
  const ask = () => modelRequest(host, blobValues(ports.blobs), shelf, keyAt(1));
  expect(await ask()).toMatchObject({
    ok: false,
    fault: { kind: 'unavailable', detail: expect.stringContaining('files.gone'), retry_after_ms: 3_000 },
  });
  const offers = [{ kind: 'tool', name: 'files.gone', input_schema: { type: 'object' } }];
  await ports.index.put('mesh.v1.catalogue.tool-gateway.lab', {
    service: 'tool-gateway',
    pool: 'lab',
    offers,
  });
  await shelf.refresh();
  expect((await ask()).ok).toBe(true);
});

test('a question of a run that is not there is a fault', async () => {
  const { host } = await world();
  const made = await modelRequest(host, blobValues(host.ports.blobs), toolShelf(host.ports), keyAt(1));
  expect(made).toMatchObject({ ok: false, fault: { kind: 'invalid' } });
});

test('events are read over many pages, up to the one that is asked for and no further', async () => {
  const here = await world();
  const turns = Array.from({ length: 300 }, (_, turn) => [
    asked,
    replied(`turn ${turn}`),
    back({ value: turn }),
  ]);
  const journal = [started({}), ...turns.flat()];
  await written(here, journal, 1);
  for (const until of [0, 1, 255, 256, 257, 512, 901])
    expect(await runEvents(here.ports, entity, until)).toEqual({ ok: true, value: journal.slice(0, until) });
});

test('a page that holds fewer than were asked for is not the last', async () => {
  const { ports } = await world();
  const journal = [started({}), asked, replied('a'), back({ value: 1 }), asked];
  await written({ ports } as World, journal, 1); // the host is not used
  const { read } = ports.journal;
  const short = {
    ...ports,
    journal: {
      ...ports.journal,
      read: (of: Entity, from: number, limit: number) => read(of, from, Math.min(limit, 2)),
    },
  };
  expect(await runEvents(short, entity, 5)).toEqual({ ok: true, value: journal });
  expect(await runEvents(short, entity, 99)).toEqual({ ok: true, value: journal });
});

test('events that were too many for an entry are read from their blob', async () => {
  const here = await world();
  const journal = [started({}), asked];
  const events_ref = await putBlob(here, journal as unknown as Json); // events are JSON
  const entry = { v: 1, causes: [], at, first: 0, events_ref, events_count: 2, tail_bytes: 0 };
  const id = wireIdOf('entry', '0', 1, 0);
  await here.ports.journal.append({ entity, entry: encodeJson(entry), expected: 0, id });
  expect(await runEvents(here.ports, entity, 2)).toEqual({ ok: true, value: journal });
});
