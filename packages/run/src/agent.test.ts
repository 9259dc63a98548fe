import { expect, test } from 'vitest';
import { Agent } from './agent.ts';
import { agent } from './testing/agents.ts';

test('an agent that says little has limits all the same', () => {
  expect(Agent.parse({ name: 'a', instructions: 'x', model: 'm' })).toMatchObject({
    tools: [],
    limits: { turns: 20, parallel: 8, group_ms: 120_000 },
  });
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
