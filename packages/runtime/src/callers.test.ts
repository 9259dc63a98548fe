import {
  type Draft,
  fail,
  fault,
  jobTask,
  type Key,
  keyOf,
  ok,
  shardOf,
  type TaskId,
} from '@foldmesh/envelope';
import { type JobEvent, type JobState, jobDecider } from '@foldmesh/job';
import { spec, task, testCatalogue } from '@foldmesh/job/internal';
import { describe, expect, it } from 'vitest';
import { jobStanding } from './callers.ts';
import { fakeHost, handOf } from './testing/fake-host.ts';
import { type FakePorts, fakePorts } from './testing/fake-ports.ts';
import { deliveryOf, job, sealed, tenant, toolCall } from './testing/messages.ts';
import { letterOf } from './testing/toy-decider.ts';
import { takeTurn } from './turn.ts';

const decider = jobDecider(testCatalogue());
const deciding = { decider, traceOf: ({ trace_id }: JobState) => trace_id };

const commandOf = (what: Pick<Draft, 'type' | 'payload'>, step: string, call: string): Draft =>
  ({
    ...what,
    to: { service: 'manager', pool: shardOf(job) },
    key: keyOf({ tenant, job, task: jobTask, round: 1, step, call }),
    attempt: 1,
  }) as Draft; // the caller ties the payload to the type

/** Has the job's manager take one turn on this. */
const decide = async (fake: FakePorts, draft: Draft): Promise<readonly JobEvent[]> => {
  const letter = await letterOf(fake, deliveryOf(sealed(draft, fake.clock.now()), fake.clock));
  const turn = await takeTurn(fakeHost(fake), deciding as never, { tenant, job }, [letter], undefined); // a decider of some types
  if (!turn.ok) throw new Error(turn.fault.detail);
  return turn.value.events as readonly JobEvent[]; // the job's own
};

const keyFor = (id: string, step: number, call = 0): Key =>
  keyOf({ tenant, job, task: id as TaskId, round: 1, step: String(step), call: String(call) }); // a token

const settleOf = (key: Key, outcome: object): Draft =>
  ({
    type: 'task.settle',
    to: { service: 'manager', pool: shardOf(job) },
    key,
    attempt: 1,
    payload: { results: [{ key, attempt: 1, outcome, worker: 'w', started_at: 1, ended_at: 2 }] },
  }) as Draft; // made by hand

const submitted = async (fake: FakePorts): Promise<void> => {
  const job = spec(
    [task('a', { retry: { attempts: 3 } }), task('b', { depends_on: ['a'], skill: 'far.work' })],
    { split: 'always' },
  );
  await decide(fake, commandOf({ type: 'job.submit', payload: { spec: job } }, '0', 'c-1'));
};

const standing = async (fake: FakePorts, key: Key, attempt = 1) => {
  const hand = handOf(fakeHost(fake), deliveryOf(toolCall(1, fake.clock.now()), fake.clock));
  const stands = await jobStanding(hand, key, attempt);
  await hand.hold[Symbol.asyncDispose]();
  return stands;
};

const markOf = async (fake: FakePorts, key: Key, attempt = 1) => {
  const stands = await standing(fake, key, attempt);
  if (!stands.ok) return stands;
  return stands.value.kind === 'open' ? stands.value.mark() : stands.value.kind;
};

describe('what a job says of work in its name', () => {
  it('is open while it waits for it, with the mark that the dedup store had when it was asked', async () => {
    const fake = fakePorts();
    await submitted(fake);
    fake.answer('inbox.generation', ok('mark-2'));
    await decide(fake, settleOf(keyFor('a', 2), { kind: 'done', output: { value: 1 } }));
    expect(await markOf(fake, keyFor('b', 4))).toEqual(ok('mark-2'));
    expect(await markOf(fake, keyFor('a', 2))).toBe('answered');
    expect(await markOf(fake, keyFor('ghost', 2))).toBe('answered');
  });

  it('of another attempt is the mark of the first: they share what they did', async () => {
    const fake = fakePorts();
    await submitted(fake);
    const failed = { kind: 'failed', fault: fault('unavailable', 'x', { retry_after_ms: 0 }) };
    await decide(fake, settleOf(keyFor('a', 2), failed));
    fake.answer('inbox.generation', ok('mark-2'));
    await fake.clock.pass(60_000);
    const events = await decide(fake, commandOf({ type: 'timer.fire', payload: { due: 1 } }, '3', 'wake'));
    expect(events.map(({ kind }) => kind)).toContain('tasks-assigned');
    expect(await markOf(fake, keyFor('a', 2), 2)).toEqual(ok('mark-1'));
    expect(await markOf(fake, keyFor('a', 2), 1)).toBe('answered');
  });

  it('finds its mark without reading the whole journal', async () => {
    const fake = fakePorts();
    await submitted(fake);
    const failed = { kind: 'failed', fault: fault('unavailable', 'x', { retry_after_ms: 0 }) };
    await decide(fake, settleOf(keyFor('a', 2), failed));
    // A long journal of another entity, and of this one.
    for (let n = 0; n < 300; n++)
      await fake.ports.journal.append({
        entity: { tenant, job: 'j-2' as typeof job },
        entry: new Uint8Array(),
        expected: n === 0 ? 0 : n + 2,
        id: 'x' as never,
      }); // a token, and never looked at
    await fake.clock.pass(60_000);
    await decide(fake, commandOf({ type: 'timer.fire', payload: { due: 1 } }, '3', 'wake'));
    const before = fake.given('journal.read').length;
    expect(await markOf(fake, keyFor('a', 2), 2)).toEqual(ok('mark-1'));
    expect(fake.given('journal.read').length - before).toBeLessThan(14);
  });

  it('is not known without the journal, nor without the mark', async () => {
    const fake = fakePorts();
    await submitted(fake);
    const away = fail(fault('unavailable', 'away'));
    fake.answer('journal.last', away);
    expect(await standing(fake, keyFor('a', 2))).toEqual(away);
    const stands = await standing(fake, keyFor('a', 2));
    fake.answer('journal.read', away);
    expect(stands.ok && stands.value.kind === 'open' && (await stands.value.mark())).toEqual(away);
  });

  it('is nothing where the job is not there', async () => {
    expect(await markOf(fakePorts(), keyFor('a', 2))).toBe('answered');
  });
});
