import { type Envelope, fail, fault, ok, type Result } from '@foldmesh/envelope';
import { Agent } from '@foldmesh/run';
import { silentMs } from '@foldmesh/runtime';
import { fakeHost, fakePorts, keyAt } from '@foldmesh/runtime/internal';
import { expect, it } from 'vitest';
import { lackingNames } from './lacking-names.ts';
import type { ShelfTool } from './shelf-tool.ts';
import { lackingAgent, toolsAtHand } from './tools-at-hand.ts';

const clerk = Agent.parse({ name: 'clerk', instructions: 'work', model: 'm', tools: ['files.read'] });
const agents = new Map([[clerk.name, clerk]]);
const read: ShelfTool = {
  run: { name: 'files.read', by: 'gateway', terminal: false },
  told: { name: 'files.read', description: '', schema: {} },
};

const assign = (name = 'clerk') =>
  ({
    type: 'task.assign',
    created_at: 10_000,
    deadline: 600_000,
    payload: { tasks: [{ key: keyAt(2, 'a'), run: { kind: 'agent', name }, input: null }] },
  }) as unknown as Envelope<'task.assign'>; // all that is looked at

const at = (now: number) => {
  const { ports } = fakePorts();
  return { log: ports.log, clock: { ...ports.clock, now: () => now } };
};

const shelfWith = (names: string[], answer: Result<void> = ok(undefined), onLook?: string) => {
  let looks = 0;
  const shelf = {
    find: (name: string) => (names.includes(name) ? read : undefined),
    refresh: async () => {
      looks += 1;
      if (onLook !== undefined) names.push(onLook);
      return answer;
    },
  };
  return { shelf, looks: () => looks };
};

it('looks once more before a run begins without a tool that it needs', async () => {
  const { shelf, looks } = shelfWith([], ok(undefined), 'files.read');
  expect(await toolsAtHand(agents, shelf, assign(), at(10_000))).toEqual(ok(undefined));
  expect(looks()).toBe(1);
});

it('sends a run back that lacks a tool, until whoever has it would have said so since it was assigned', async () => {
  const { shelf } = shelfWith([]);
  const answers = [10_000, 10_000 + silentMs - 1, 10_000 + silentMs].map((now) =>
    toolsAtHand(agents, shelf, assign(), at(now)),
  );
  const later = fail(fault('unavailable', 'nobody offers files.read yet', { retry_after_ms: 1_000 }));
  expect(await Promise.all(answers)).toEqual([later, later, ok(undefined)]);
});

it('lets it begin without, to say so, when its time is over', async () => {
  const brief = { ...assign(), deadline: 11_000 };
  expect(await toolsAtHand(agents, shelfWith([]).shelf, brief, at(11_000))).toEqual(ok(undefined));
});

it('says so when nobody knows what is offered, so that the assignment goes back', async () => {
  const away = fail(fault('unavailable', 'away', { retry_after_ms: 1 }));
  const { shelf } = shelfWith([], away);
  expect(await toolsAtHand(agents, shelf, assign(), at(500_000))).toEqual(away);
});

it('asks nobody when all is there, of an agent that is not here, or of anything but an assignment', async () => {
  const { shelf, looks } = shelfWith(['files.read']);
  await toolsAtHand(agents, shelf, assign(), at(10_000));
  await toolsAtHand(agents, shelf, assign('stranger'), at(10_000));
  await toolsAtHand(agents, shelf, { type: 'timer.fire' } as Envelope<'timer.fire'>, at(10_000)); // all that is looked at
  expect(looks()).toBe(0);
});

it('sends a task round to a worker that has its agent, until nobody can have it in time', () => {
  const until = (deadline: number, name?: string) => ({ ...assign(name), deadline });
  const lacks = lackingNames(fakeHost(fakePorts()));
  const lacking = (envelope: Envelope<'task.assign' | 'timer.fire'>) =>
    lackingAgent(agents, envelope, 1_000, lacks);
  expect(lacking(until(2_000, 'stranger'))).toMatchObject({
    kind: 'unavailable',
    detail: 'this worker has no agent stranger',
    retry_after_ms: 3_000,
  });
  expect(lacking(until(1_000, 'stranger'))).toBeUndefined();
  expect(lacking(until(2_000))).toBeUndefined();
  expect(lacking({ type: 'timer.fire' } as Envelope<'timer.fire'>)).toBeUndefined(); // all that is looked at
});
