import { encodeJson, type Queue, sha256Hex } from '@foldmesh/envelope';
import { Agent } from '@foldmesh/run';
import { runtimeLimits } from '@foldmesh/runtime';
import {
  deliveryOf,
  type FakePorts,
  fakeHost,
  fakePorts,
  job,
  keyAt,
  pool,
  sealed,
  tenant,
} from '@foldmesh/runtime/internal';
import { expect, it } from 'vitest';
import { agentRuns } from './agent-runs.ts';

const clerk = Agent.parse({ name: 'clerk', instructions: 'work', model: 'm', tools: [] });
const shelf = { find: () => undefined, refresh: async () => ({ ok: true, value: undefined }) as const };
const queue: Queue = { service: 'worker', pool, lane: 'decide' };
const key = keyAt(2, 'a');
const digest = sha256Hex('gone');

/** A run whose first events lay in a blob that is not there. */
const lostRun = async (fake: FakePorts): Promise<void> => {
  const at = fake.clock.now();
  const ref = { events_ref: { digest, bytes: 70_000 }, events_count: 2 };
  const entry = encodeJson({ v: 1, causes: [], at, first: 0, ...ref, tail_bytes: 70_000 });
  const entity = { tenant, job, run: { task: 'a', round: 1 } } as never; // the run that the key names
  await fake.ports.journal.append({ entity, entry, expected: 0, id: 'e' as never }); // nobody looks at it
};

const assignOf = (fake: FakePorts) => {
  const tasks = [{ key, run: { kind: 'agent' as const, name: 'clerk' }, input: null }];
  const deadline = fake.clock.now() + 600_000;
  const to = { service: 'worker', pool } as const;
  const draft = {
    type: 'task.assign',
    to,
    key,
    attempt: 1,
    payload: { tasks },
    deadline,
    lane: 'decide',
  } as const;
  return deliveryOf(sealed(draft, fake.clock.now()), fake.clock, { redelivered: true });
};

it('a run whose journal is gone fails its task, naming the entry, once that can be believed; nothing wakes it any more', async () => {
  const fake = fakePorts();
  await lostRun(fake);
  const host = fakeHost(fake);
  expect(await agentRuns(new Map([[clerk.name, clerk]]), shelf, pool)(host)).toMatchObject({ ok: true });
  const early = assignOf(fake);
  fake.feed(queue, early);
  await fake.clock.pass(100);
  expect([early.said, fake.published]).toEqual([[`nak ${runtimeLimits.lateAgainMs}`], []]);
  await fake.clock.pass(runtimeLimits.goneAfterMs);
  const assign = assignOf(fake);
  fake.feed(queue, assign);
  await fake.clock.pass(100);
  expect(assign.said).toEqual(['ack']);
  const bodies = fake.published.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
  expect(bodies).toMatchObject([
    {
      type: 'task.settle',
      payload: {
        results: [
          {
            key,
            attempt: 1,
            outcome: {
              kind: 'failed',
              fault: {
                kind: 'invalid',
                detail: expect.stringMatching(new RegExp(`^entry 1 of .*${digest}`)),
              },
            },
          },
        ],
      },
    },
  ]);
  expect(await fake.ports.index.list('')).toMatchObject({ value: [{ value: { ended: true, pool } }] });
  host.stopIntake();
  await fake.clock.pass(0);
  await host.nursery.settled();
});
