import { PoolName } from '@foldmesh/envelope';
import { Agent, type AgentInput, type RunTool } from '../agent.ts';
import type { Agents } from '../decide.ts';

const gateway = (name: string, more: Partial<RunTool> = {}): RunTool => ({
  name,
  by: 'gateway',
  terminal: false,
  ...more,
});

const tools: readonly RunTool[] = [
  gateway('files.search'),
  gateway('files.write'),
  gateway('lab.measure', { pool: PoolName.parse('lab') }),
  gateway('plan.submit', { terminal: true }),
  { name: 'memory.write', by: 'memory', terminal: false },
  { name: 'memory.query', by: 'memory', terminal: false },
];

const base: AgentInput = {
  name: 'clerk',
  instructions: 'Find it.',
  model: 'scripted/clerk',
  tools: ['files.search', 'files.write', 'lab.measure', 'memory.write', 'memory.query'],
  limits: { turns: 5, parallel: 2, group_ms: 1_000 },
};

/** An agent whose answer is free text, unless `more` says otherwise. */
export const agent = (more: Partial<AgentInput> = {}): Agent => Agent.parse({ ...base, ...more });

/** `clerk` answers in words, `judge` in a declared shape, `planner` by a terminal tool. */
export const testAgents = (clerk: Partial<AgentInput> = {}): Agents => {
  const agents = [
    agent(clerk),
    agent({ name: 'judge', answer: { type: 'object', required: ['verdict'] } }),
    agent({ name: 'planner', tools: ['plan.submit', 'files.search'] }),
    agent({ name: 'wanting', tools: ['files.search', 'files.eat', 'files.burn'] }),
  ];
  return {
    find: (name) => agents.find((one) => one.name === name),
    tool: (name) => tools.find((one) => one.name === name),
  };
};
