import { type Fault, fault, TraceId } from '@foldmesh/envelope';
import type { JobRecord } from '@foldmesh/job';
import { expect, it } from 'vitest';
import type { Shell } from './command.ts';
import { concludeRecord } from './conclude-record.ts';

const failed = (end_reason: string, why: Fault): JobRecord => ({
  id: 'j-1',
  name: 'a-job',
  status: 'failed',
  labels: {},
  round: 1,
  plan: { tasks: 1, decision: null },
  tasks: [],
  usage: { tool_calls: 0, model_calls: 0 },
  requests: [],
  budget_left: { wall_ms: 0 },
  durability: 'process',
  trace_id: TraceId.parse('a'.repeat(32)),
  created_at: 0,
  end_reason,
  fault: why,
  links: {},
});

const saidOf = (record: JobRecord): string => {
  const said: string[] = [];
  const shell: Pick<Shell, 'out' | 'err'> = { out: () => undefined, err: (text) => void said.push(text) };
  expect(concludeRecord(shell, record, { json: false })).toBe(1);
  return said.join('');
};

it('says of a job that failed what kind of failure it was, once', () => {
  expect(saidOf(failed('failed', fault('refused', 'task a failed: agent clerk, turn 2: no')))).toBe(
    'job j-1 failed: refused: task a failed: agent clerk, turn 2: no\n',
  );
  expect(saidOf(failed('invalid', fault('invalid', 'result: no sum')))).toBe(
    'job j-1 failed: invalid: result: no sum\n',
  );
  expect(saidOf(failed('deadline', fault('refused', 'its time is over')))).toBe(
    'job j-1 failed (deadline): refused: its time is over\n',
  );
});
