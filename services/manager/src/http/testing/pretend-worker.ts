import {
  type Draft,
  type Envelope,
  encodeJson,
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
const skills = ['test.echo', 'test.hold', 'test.refuse', 'test.flaky', 'test.store'];

/**
 * What the pretended pool offers. The skills return their input, say nothing, fail, fail at the first attempt, and return
 * their input by reference; the agent asks once.
 */
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
        const draft = await answerTo(envelope, asked, ports);
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

const answerTo = async (
  envelope: Envelope,
  asked: Map<Key, TaskPart>,
  ports: Ports,
): Promise<Draft | undefined> => {
  const { idempotency_key: key, attempt } = envelope;
  const at = ports.clock.now();
  const times = { worker: 'worker-1', started_at: at, ended_at: at };
  const settle = async (
    parts: readonly TaskPart[],
    outcomeOf: (part: TaskPart) => Outcome | Promise<Outcome>,
    of: Key,
  ): Promise<Draft> => ({
    type: 'task.settle',
    to: managerOf(of),
    key: of,
    attempt,
    payload: {
      results: await Promise.all(
        parts.map(async (part) => ({
          key: part.key,
          attempt: attemptOf(envelope, part),
          outcome: await outcomeOf(part),
          ...times,
        })),
      ),
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
    return tasks.some(({ run }) => run.name === 'test.hold')
      ? undefined
      : settle(tasks, (part) => outcomeOf(part, attemptOf(envelope, part), ports), key);
  const { tenant, job, task, round } = positionOf(first.key);
  const ask = keyOf({ tenant, job, task, round, step: '7', call: '0' });
  asked.set(ask, first);
  const payload = { task: first.key, ...question };
  return { type: 'input.ask', to: managerOf(ask), key: ask, attempt, payload };
};

const managerOf = (key: Key) => ({ service: 'manager', pool: shardOf(positionOf(key).job) }) as const;

const done = (value: Json): Outcome => ({ kind: 'done', output: { value } });

/** Several tasks have attempts of their own. */
const attemptOf = (envelope: Envelope, part: TaskPart): number => {
  if (envelope.type !== 'task.assign') return envelope.attempt;
  const { tasks, attempts } = envelope.payload;
  return attempts?.[tasks.indexOf(part)] ?? envelope.attempt;
};

const outcomeOf = async ({ key, run, input }: TaskPart, attempt: number, ports: Ports): Promise<Outcome> => {
  const { tenant, job } = positionOf(key);
  switch (run.name) {
    case 'test.echo':
      return done(input);
    case 'test.store':
      return { kind: 'done', output: { ref: need(await ports.blobs.put(tenant, job, encodeJson(input))) } };
    case 'test.flaky':
      return attempt === 1
        ? { kind: 'failed', fault: { kind: 'unavailable', detail: 'not yet', retry_after_ms: 0 } }
        : done(input);
    default:
      return { kind: 'failed', fault: { kind: 'refused', detail: 'it always refuses' } };
  }
};
