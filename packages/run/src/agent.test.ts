import { expect, test } from 'vitest';
import { Agent, WrittenAgent } from './agent.ts';
import { agent } from './testing/agents.ts';

test('an agent that says little has limits all the same', () => {
  expect(Agent.parse({ name: 'a', instructions: 'x', model: 'm' })).toMatchObject({
    tools: [],
    limits: { turns: 20, parallel: 8, group_ms: 120_000 },
  });
});

test('blank instructions are refused of whoever writes them, and read where they are stored', () => {
  const blank = { ...agent(), instructions: ' \n\t' };
  expect(WrittenAgent.safeParse(blank).error?.issues[0]?.path).toEqual(['instructions']);
  expect([Agent.safeParse(blank).success, WrittenAgent.safeParse(agent()).success]).toEqual([true, true]);
});

test.each([
  ['a tool named twice', { tools: ['a.b', 'a.b'] }],
  ['a tool called like the declared answer', { tools: ['answer'] }],
  ['a tool whose name no provider takes', { tools: ['n'.repeat(65)] }],
  ['an answer that is no object', { answer: { type: 'string' } }],
  ['no turn', { limits: { turns: 0 } }],
  ['a field that nobody knows', { tool: [] }],
])('%s is refused where the agent is read, not by the model in every run', (_, wrong) => {
  expect(Agent.safeParse({ ...agent(), ...wrong }).success).toBe(false);
});
