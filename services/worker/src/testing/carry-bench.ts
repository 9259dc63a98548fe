import { type Binding, type Envelope, type Json, type TaskPart, TaskSettle } from '@foldmesh/envelope';
import { blobValues, type Call, type Ran, type Verdict } from '@foldmesh/runtime';
import {
  type Delivered,
  deliveryOf,
  fakeHost,
  fakePorts,
  handOf,
  keyAt,
  pool,
  sealed,
  type Which,
} from '@foldmesh/runtime/internal';
import { carryTasks, type RunTask } from '../carry-tasks.ts';

export const part = (id: string, more: Partial<TaskPart> = {}): TaskPart => ({
  key: keyAt(2, id),
  run: { kind: 'skill', name: 'work' },
  input: id,
  ...more,
});

interface Asked {
  readonly part: TaskPart;
  readonly input: Json;
  readonly call: Call;
}

export const done = (output: Json): Ran => ({ kind: 'done', output });

/** Carries an assignment out on a worker whose tasks echo their input, or do as they are told. */
export const carryBench = (
  tasks: readonly TaskPart[],
  told: Readonly<Record<string, (asked: Asked) => Ran | Promise<Ran>>> = {},
  bind?: Record<string, Binding>,
  attemptOf: (index: number) => number = () => 1,
) => {
  const fake = fakePorts();
  const host = fakeHost(fake);
  const asked: Asked[] = [];
  const run: RunTask = async (of, input, call) => {
    asked.push({ part: of, input, call });
    const id = of.key.split('/')[2] ?? '';
    return {
      ran: (await told[id]?.({ part: of, input, call })) ?? done(input),
      toolCalls: id === 'calls' ? 3 : 0,
    };
  };
  const [first] = tasks;
  const alone = tasks.length === 1;
  const carry = async (which: Which = {}, how: Delivered = {}) => {
    const payload = {
      tasks: [...tasks],
      ...(!alone && { attempts: tasks.map((_, n) => attemptOf(n)) }),
      ...(bind && { bind }),
    };
    const key = alone && first !== undefined ? first.key : keyAt(2, '_job');
    const draft = {
      type: 'task.assign',
      to: { service: 'worker', pool },
      key,
      attempt: which.attempt ?? 1,
      payload,
      deadline: which.deadline ?? fake.clock.now() + 60_000,
    } as const;
    const message = sealed(draft, fake.clock.now(), which);
    const delivery = deliveryOf(message, fake.clock, how);
    const envelope = {
      ...JSON.parse(new TextDecoder().decode(delivery.body)),
      attempt: message.headers.attempt,
    } as Envelope<'task.assign'>; // as it was sealed
    const hand = handOf(host, delivery);
    const verdict = await carryTasks(blobValues(fake.ports.blobs), run)(hand, envelope);
    await hand.hold[Symbol.asyncDispose]();
    return verdict;
  };
  return { fake, host, asked, carry };
};

export const resultsOf = (verdict: Verdict): TaskSettle['results'] => {
  if (verdict.kind !== 'answer' || verdict.draft.type !== 'task.settle') throw new Error(verdict.kind);
  return TaskSettle.parse(verdict.draft.payload).results;
};

export const outcomes = (verdict: Verdict): readonly unknown[] =>
  resultsOf(verdict).map(({ outcome }) => outcome);
export const value = (output: Json) => ({ kind: 'done', output: { value: output } });
