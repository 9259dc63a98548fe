import { type Carried, fault, type TaskPart } from '@foldmesh/envelope';
import type { Done, Ran, Run } from '@foldmesh/runtime';
import { callOf, deliveryOf, fakeHost, fakePorts, handOf, keyAt, toolCall } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { carryInOrder } from './carry-order.ts';

const part = (id: string, input: TaskPart['input'] = null): TaskPart => ({
  key: keyAt(2, id),
  run: { kind: 'skill', name: 'work' },
  input,
});
const idOf = ({ key }: TaskPart): string => key.split('/')[2] ?? '';
const output = (id: string): Carried => ({ value: id });
const stored = (id: string): Done => ({
  kind: 'settled',
  stored: { outcome: { kind: 'done', output: output(id) } },
  strikes: 0,
});
const no: Ran = { kind: 'failed', fault: fault('refused', 'no') };

/** Carries tasks and writes down what happened; what is stored stays under way until it is let go. */
const bench = (tasks: readonly TaskPart[], ahead: number, told: Readonly<Record<string, Ran>> = {}) => {
  const fake = fakePorts();
  const host = fakeHost(fake);
  const hand = handOf(host, deliveryOf(toolCall(1, fake.clock.now()), fake.clock));
  const log: string[] = [];
  const storing = new Map<string, () => void>();
  const settled = async (id: string, run: Run): Promise<Done> => {
    const ran = await run(callOf());
    if (ran.kind === 'not_begun') {
      log.push(`gave back ${id}`);
      return { kind: 'hand_back', delayMs: 0 };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    storing.set(id, resolve);
    await promise;
    log.push(`stored ${id}`);
    const outcome = ran.kind === 'failed' ? { kind: 'failed', fault: ran.fault } : undefined;
    return outcome === undefined
      ? stored(id)
      : ({ kind: 'settled', stored: { outcome }, strikes: 0 } as Done); // a failed one
  };
  const carried = carryInOrder(hand, tasks, ahead, {
    carry: (of, _, run) => {
      log.push(`claims ${idOf(of)}`);
      return settled(idOf(of), run);
    },
    run: async (of, local) => {
      log.push(`runs ${[idOf(of), ...local.keys()].join(' with ')}`);
      return told[idOf(of)] ?? { kind: 'done', output: idOf(of) };
    },
  });
  const idle = () => fake.clock.pass(1);
  const store = async (id: string): Promise<void> => {
    storing.get(id)?.();
    await idle();
  };
  return { host, hand, log, carried, idle, store };
};

describe('tasks in order', () => {
  it('are claimed ahead, run one after the other, and do not wait for each other to be stored', async () => {
    const { log, carried, idle, store, hand } = bench([part('a'), part('b'), part('c')], 2);
    await idle();
    expect(log).toEqual(['claims a', 'claims b', 'runs a', 'runs b']);
    await store('a');
    expect(log.slice(4)).toEqual(['stored a', 'claims c', 'runs c']);
    await store('b');
    await store('c');
    expect(await carried).toEqual(['a', 'b', 'c'].map(stored));
    await hand.hold[Symbol.asyncDispose]();
  });

  it('wait for what they look up of one before them until that is stored', async () => {
    const { log, carried, idle, store, hand } = bench([part('a'), part('b', '${tasks.a.output}')], 16);
    await idle();
    expect(log).toEqual(['claims a', 'claims b', 'runs a']);
    await store('a');
    expect(log.slice(3)).toEqual(['stored a', 'runs b with a']);
    await store('b');
    expect((await carried).length).toBe(2);
    await hand.hold[Symbol.asyncDispose]();
  });

  it('end at the first that is not completed: what is claimed behind it is given back, and not told', async () => {
    const { log, carried, idle, store, hand } = bench([part('a'), part('b'), part('c')], 16, { b: no });
    await idle();
    expect(log).toEqual(['claims a', 'claims b', 'claims c', 'runs a', 'runs b', 'gave back c']);
    await store('a');
    await store('b');
    expect((await carried).map((done) => done.kind)).toEqual(['settled', 'settled']);
    await hand.hold[Symbol.asyncDispose]();
  });

  it('end with the intake, but for the first', async () => {
    const { host, log, carried, idle, store, hand } = bench([part('a'), part('b')], 1);
    host.stopIntake();
    await idle();
    await store('a');
    expect([await carried, log]).toEqual([[stored('a')], ['claims a', 'runs a', 'stored a']]);
    await hand.hold[Symbol.asyncDispose]();
  });

  it('that break are thrown when all the others have ended', async () => {
    const fake = fakePorts();
    const hand = handOf(fakeHost(fake), deliveryOf(toolCall(1, fake.clock.now()), fake.clock));
    let ended = 0;
    const carried = carryInOrder(hand, [part('a'), part('b')], 16, {
      carry: async (of, _, run) => {
        await run(callOf());
        if (idOf(of) === 'a') throw new Error('broken');
        ended += 1;
        return stored(idOf(of));
      },
      run: async () => ({ kind: 'done', output: null }),
    });
    await expect(carried).rejects.toThrow('broken');
    expect(ended).toBe(1);
    await hand.hold[Symbol.asyncDispose]();
  });
});
