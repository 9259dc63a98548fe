import { cut, JobId, keyOf, TaskId, TenantId, traceIdFrom } from '@foldmesh/envelope';
import { Agent, type RunEventOf } from '@foldmesh/run';
import { expect, test } from 'vitest';
import { logRefused } from './log-refused.ts';
import { memoryTools } from './memory-tools.ts';

const key = keyOf({
  tenant: TenantId.parse('acme'),
  job: JobId.parse('j-1'),
  task: TaskId.parse('t'),
  round: 1,
  step: '1',
  call: '0',
});

test('what was refused is said with its agent and place, cut, and whether anybody offers it', () => {
  const logged: unknown[] = [];
  const started: Pick<RunEventOf<'run-started'>, 'agent' | 'tools' | 'trace_id'> = {
    agent: Agent.parse({ name: 'clerk', instructions: 'Find it.', model: 'm', tools: ['files.search'] }),
    tools: [{ name: 'files.search', by: 'gateway', terminal: false }],
    trace_id: traceIdFrom('a job'),
  };
  const names = ['files.search', 'memory.write', 'n'.repeat(300), ''];
  logRefused(
    (...line) => void logged.push(line),
    { find: (name) => memoryTools.get(name) },
    started,
    key,
    names.map((name) => ({ name })),
  );
  const said = { key, trace_id: traceIdFrom('a job'), agent: 'clerk' };
  const refused = 'refused a tool that an agent may not call';
  expect(logged).toEqual([
    ['warn', refused, { ...said, tool: 'memory.write', offered: true }],
    ['warn', refused, { ...said, tool: cut('n'.repeat(300), 100), offered: false }],
    ['warn', refused, { ...said, tool: '', offered: false }],
  ]);
});
