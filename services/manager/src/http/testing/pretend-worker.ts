import {
  type Draft,
  type Envelope,
  invariant,
  type Json,
  type Key,
  keyOf,
  type Outcome,
  openOuter,
  openPayload,
  PoolName,
  positionOf,
  type Result,
  readHeaders,
  sha256Hex,
  shardOf,
  type TaskPart,
} from '@foldmesh/envelope';
import type { Delivery, Ports } from '@foldmesh/ports';
import { send } from '@foldmesh/runtime';

const pool = PoolName.parse('default');
const skills = ['test.echo', 'test.hold', 'test.refuse'];

/** What the pretended pool offers: the first skill returns its input, the second is silent, the third fails; the agent asks once. */
export const offers = {
  service: 'worker',
  pool,
  slots: 8,
  offers: [
    ...skills.map((name) => ({ kind: 'skill', name, digest: sha256Hex(name) })),
    { kind: 'agent', name: 'test-asker', digest: sha256Hex('test-asker') },
  ],
};

const question = {
  question: 'how many?',
  schema: {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  },
};

/** The worker's side of the wire as far as the API needs it: it carries nothing out, it only says what came of it. */
export const pretendWorker = async (ports: Ports, signal: AbortSignal): Promise<void> => {
  /** The task of each question, by the question's key. */
  const asked = new Map<Key, TaskPart>();
  const read = async (lane: 'call' | 'decide'): Promise<void> => {
    await using reading = need(await ports.bus.subscribe({ service: 'worker', pool, lane }));
    while (!signal.aborted)
      for (const delivery of await reading.pull(64, signal)) {
        const envelope = opened(delivery);
        const draft = answerTo(envelope, asked, ports.clock.now());
        if (draft !== undefined) {
          const at = ports.clock.now();
          const { trace_id } = envelope;
          need(await send(ports, draft, { sender: 'worker.default', at, since: at, epoch: 0, trace_id }));
        }
        await delivery.ack();
      }
  };
  await Promise.all([read('call'), read('decide')]);
};

const opened = ({ headers, body }: Delivery): Envelope => {
  const mesh = need(readHeaders(headers));
  return need(openPayload(mesh, need(openOuter(mesh, body))));
};

const need = <T>(result: Result<T>): T => {
  invariant(result.ok, 'nothing fails here');
  return result.value;
};

const answerTo = (envelope: Envelope, asked: Map<Key, TaskPart>, at: number): Draft | undefined => {
  const { idempotency_key: key, attempt } = envelope;
  const settle = (parts: readonly TaskPart[], outcomeOf: (part: TaskPart) => Outcome, of: Key): Draft => ({
    type: 'task.settle',
    to: managerOf(of),
    key: of,
    attempt,
    payload: {
      results: parts.map((part) => ({
        key: part.key,
        attempt,
        outcome: outcomeOf(part),
        worker: 'worker-1',
        started_at: at,
        ended_at: at,
      })),
    },
  });
  if (envelope.type === 'run.answer') {
    const part = asked.get(key);
    const { value } = envelope.payload;
    return part && settle([part], () => done(value), part.key);
  }
  if (envelope.type !== 'task.assign') return undefined;
  const { tasks } = envelope.payload;
  const [first] = tasks;
  if (first?.run.kind !== 'agent')
    return tasks.some(({ run }) => run.name === 'test.hold') ? undefined : settle(tasks, outcomeOf, key);
  const { tenant, job, task, round } = positionOf(first.key);
  const ask = keyOf({ tenant, job, task, round, step: '7', call: '0' });
  asked.set(ask, first);
  const payload = { task: first.key, ...question };
  return { type: 'input.ask', to: managerOf(ask), key: ask, attempt, payload };
};

const managerOf = (key: Key) => ({ service: 'manager', pool: shardOf(positionOf(key).job) }) as const;

const done = (value: Json): Outcome => ({ kind: 'done', output: { value } });

const outcomeOf = ({ run, input }: TaskPart): Outcome =>
  run.name === 'test.echo'
    ? done(input)
    : { kind: 'failed', fault: { kind: 'refused', detail: 'it always refuses' } };
