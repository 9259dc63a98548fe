import { digestOf, encodeJson, type Sealed } from '@foldmesh/envelope';
import { describe, expect } from 'vitest';
import { allComplete, deadLetters, ends, everyJobEnds, noDeadLetters, stateOf } from './checks.ts';
import type { Run } from './mesh.ts';
import { publish, rawKey, rawMessage, withBody, withField, withHeaders } from './raw.ts';
import { scenario } from './scenario.ts';
import { book, jobOf } from './specs.ts';

const healthy = jobOf([book('room', 'keyed', { input: { ms: 2_000 } })]);

/** An assignment that would write a row if anybody carried it out. */
const assignment = (run: Run, raw = {}): Sealed => {
  const message = rawMessage(run, 'tool.call', { tool: 'witness.keyed', input: { id: 'never' } }, raw);
  return message;
};

/** One fault each, and what the dead letter says of it. */
const broken: Readonly<Record<string, readonly [make: (message: Sealed) => Sealed, reason: string]>> = {
  'bytes that are not JSON': [(message) => withBody(message, new Uint8Array([0x7b, 0x7b, 0x7b])), 'not JSON'],
  'bytes that are not text': [(message) => withBody(message, new Uint8Array([0xff, 0xfe])), 'not UTF-8'],
  'no bytes at all': [(message) => withBody(message, new Uint8Array()), 'not JSON'],
  '10,000 arrays in one another': [
    (message) => withBody(message, new TextEncoder().encode('['.repeat(10_000) + ']'.repeat(10_000))),
    'nested deeper than 64',
  ],
  'no idempotency_key': [(message) => withField(message, 'idempotency_key', undefined), 'idempotency_key'],
  'a key that is no text': [(message) => withField(message, 'idempotency_key', 7), 'idempotency_key'],
  'another key than its header': [
    (message) => withField(message, 'idempotency_key', 'acme/raw/other/1/0/0'),
    'idempotency_key differs',
  ],
  'no trace_id': [(message) => withField(message, 'trace_id', undefined), 'trace_id'],
  'no sender': [(message) => withField(message, 'sender', undefined), 'sender'],
  'a receiver with a wildcard': [(message) => withField(message, 'receiver', 'worker.*'), 'receiver'],
  'no payload': [(message) => withField(message, 'payload', undefined), 'payload'],
  'a payload of null': [(message) => withField(message, 'payload', null), 'payload'],
  'no deadline': [(message) => withField(message, 'deadline', undefined), 'deadline differs'],
  'a field that nobody knows': [(message) => withField(message, 'priority', 1), 'priority'],
  'two faults at once': [
    (message) => withField(withField(message, 'sender', 3), 'trace_id', 3),
    '(and 1 more)',
  ],
  'an unknown type': [
    (message) => withField(withHeaders(message, { type: 'tool.dance' }), 'type', 'tool.dance'),
    'no such type',
  ],
  'another payload than its fingerprint says': [
    (message) => withField(message, 'payload', { tool: 'witness.keyed', input: { id: 'other' } }),
    'fingerprint',
  ],
};

describe('what nobody can read is set aside once, with the reason, and the others go on', () => {
  for (const [name, [breakIt, reason]] of Object.entries(broken))
    scenario(name)
      .submit(healthy)
      .step(async (run) => void (await publish(run, breakIt(assignment(run)))))
      .run()
      .expect(everyJobEnds, allComplete, deadLetters(reason), ({ witness, letters }) => {
        expect(witness.runs.get('never')).toBeUndefined();
        expect([letters[0]?.tenant, letters[0]?.job, letters[0]?.strikes]).toEqual(['acme', 'raw', 0]);
      });

  scenario('headers that cannot be read, for a handler and for a decider')
    .submit(healthy)
    .step(async (run) => {
      await publish(run, withHeaders(assignment(run), { attempt: -1 }));
      const settle = rawMessage(run, 'job.cancel', {}, { task: '_job' });
      await publish(run, withHeaders(settle, { print: digestOf(new Uint8Array()).slice(1) as never })); // not a digest any more
    })
    .run()
    .expect(everyJobEnds, allComplete, deadLetters('Mesh-Attempt', 'headers cannot be read'));

  scenario('a type that nobody answers here')
    .submit(healthy)
    .step(async (run) => {
      const { subject, queue } = assignment(run);
      await publish(run, { ...rawMessage(run, 'job.halt', {}), subject, queue });
    })
    .run()
    .expect(everyJobEnds, allComplete, deadLetters('nobody here answers job.halt'));

  scenario('a settle for a decider that is no JSON')
    .submit(healthy)
    .step(async (run) => {
      const cancel = rawMessage(run, 'job.cancel', {}, { job: 'job-1', task: '_job' });
      await publish(run, withBody(cancel, encodeJson('no envelope')));
    })
    .run()
    .expect(everyJobEnds, allComplete, deadLetters('envelope:'));
});

scenario('a malformed trace_id alone is not worth losing work for')
  .step(
    async (run) =>
      void (await publish(run, withField(assignment(run, { replyTo: 'nobody' }), 'trace_id', 'x'))),
  )
  .run()
  .expect(noDeadLetters, ({ witness, backlog }) => {
    expect([witness.rowsOf('never').length, backlog]).toEqual([1, 0]);
  });

scenario('the same key with other content is neither run nor answered with the first result')
  .step(async (run) => {
    const call = (id: string, attempt: number): Sealed =>
      rawMessage(run, 'tool.call', { tool: 'witness.keyed', input: { id } }, { attempt, replyTo: 'caller' });
    await publish(run, call('first', 1));
    await run.clock.sleep(1_000);
    await publish(run, call('second', 2));
    await run.clock.sleep(1_000);
    await publish(run, call('first', 3));
  })
  .run()
  .expect(
    deadLetters(
      'reused with different content: first witness.keyed {"id":"first"}, now witness.keyed {"id":"second"}',
    ),
    (ending) => {
      const { witness, backlog } = ending;
      expect([witness.runs.get('first'), witness.runs.get('second'), backlog]).toEqual([1, undefined, 0]);
    },
  );

const newer = (run: Run, raw = {}): Sealed =>
  withField(withHeaders(assignment(run, { replyTo: 'nobody', ...raw }), { v: 2 }), 'v', 2);

scenario('a newer version goes back untouched until its deadline, and then its exact bytes are set aside')
  .submit(healthy)
  .step(async (run) => {
    const message = newer(run, { deadlineMs: 40_000 });
    await publish(run, message);
    await run.clock.sleep(39_000);
    const letters = await run.ports.dead.list();
    expect(letters.ok && letters.value.length).toBe(0);
    await run.clock.sleep(10_000);
    const after = await run.ports.dead.list();
    expect(after.ok && after.value.map(({ body }) => body)).toEqual([message.body]);
  })
  .run()
  .expect(
    everyJobEnds,
    allComplete,
    deadLetters('unsupported version: tool.call v2'),
    ({ witness, calls }) => {
      expect(witness.runs.get('never')).toBeUndefined();
      // Handed back with a growing delay, not in a hot loop.
      const naks = calls.filter(({ call }) => call === 'delivery.nak').length;
      expect(naks).toBeGreaterThan(3);
      expect(naks).toBeLessThan(12);
    },
  );

/** Takes the job's assignment out of its queue and puts another there, as somebody else's build would have sent it. */
const replaceAssignment =
  (change: (message: Sealed) => Sealed) =>
  async (run: Run): Promise<void> => {
    await run.ports.bus.purge(run.tenant, run.jobId('job-1'));
    const raw = { job: 'job-1', task: 'room', step: '2', epoch: 1, deadlineMs: 30_000 };
    const part = {
      key: rawKey(run, raw),
      run: { kind: 'tool', name: 'witness.keyed' },
      input: { id: 'room' },
    } as const;
    expect(await publish(run, change(rawMessage(run, 'task.assign', { tasks: [part] }, raw)))).toBe(false);
    await run.start('worker-1');
  };

for (const [name, change, reason] of [
  [
    'an assignment in a version that this pool never learns',
    (message) => withField(withHeaders(message, { v: 2 }), 'v', 2),
    'unsupported version: task.assign v2',
  ],
  ['an assignment that cannot be read', (message) => withBody(message, new Uint8Array([0x7b])), 'not JSON'],
] as readonly (readonly [string, (message: Sealed) => Sealed, string])[])
  scenario(`${name} ends its job with the reason, instead of leaving it to wait`)
    .step((run) => run.shutDown('worker-1'))
    .submit(jobOf([book('room')], { budget: { wall_ms: 3_600_000 } }))
    .wait(100)
    .step(replaceAssignment(change))
    .run()
    .expect(everyJobEnds, ends('job-1', 'failed', 'failed'), deadLetters(reason), (ending) => {
      expect(stateOf(ending).fault?.detail).toContain(reason);
      expect(ending.witness.runs.get('room')).toBeUndefined();
    });

scenario('what an assignment like it, left as it was, would have come to')
  .step((run) => run.shutDown('worker-1'))
  .submit(jobOf([book('room')]))
  .wait(100)
  .step(replaceAssignment((message) => message))
  .run()
  .expect(everyJobEnds, allComplete, noDeadLetters);
