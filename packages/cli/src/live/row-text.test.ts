import type { TaskRecord } from '@foldmesh/job';
import { describe, expect, it } from 'vitest';
import { durationText, graphLine, rowText, usageText, waitText } from './row-text.ts';
import type { Row } from './task-rows.ts';

const row = (more: Partial<Row> = {}): Row => ({
  id: 'audit',
  what: 'skill licence.audit',
  counts: new Map([['running', 1]]),
  total: 1,
  status: 'running',
  done: 0,
  ...more,
});

const wait = (reason: NonNullable<TaskRecord['wait']>['reason'], more: object = {}) => ({
  reason,
  since: 0,
  ...more,
});

describe('a row', () => {
  it('says how far the children of a task are', () => {
    const counts = new Map([
      ['completed', 3],
      ['failed', 1],
      ['pending', 4],
    ] as const);
    expect(rowText(row({ counts, total: 8, done: 4, status: 'failed' }), 0)).toBe(
      '✗ audit            4/8 3 completed, 1 failed  skill licence.audit',
    );
  });

  it('says what holds a task up, and of one that is under way only what a person has to do', () => {
    const held = row({ status: 'pending', counts: new Map(), wait: wait('dependency', { on: 'list' }) });
    expect(rowText(held, 0)).toMatch(/ {2}after list$/);
    expect(rowText(row({ wait: wait('concurrency', { on: 'audit' }) }), 0)).not.toContain('turn');
    expect(rowText(row({ wait: wait('answer', { on: 'audit.1.0' }) }), 0)).toMatch(
      /waits for an answer to audit\.1\.0$/,
    );
  });

  it('is cut to the width of the screen, and coloured after that', () => {
    const line = graphLine(row(), 2, 0, { columns: 20, hasColours: false });
    expect([line.length, line.startsWith('    ▸ audit')]).toEqual([20, true]);
    const coloured = graphLine(row(), 2, 0, { columns: 20, hasColours: true });
    expect(coloured).toBe(line.replace('▸', '\u001b[36m▸\u001b[39m'));
  });
});

describe('words for numbers', () => {
  it('tells durations in two units at most', () => {
    expect([0, 432, 9_960, 59_400, 185_000, 7_800_000].map(durationText)).toEqual([
      '0.0 s',
      '0.4 s',
      '10.0 s',
      '59 s',
      '3 min 5 s',
      '2 h 10 min',
    ]);
  });

  it('tells a wait with what is left of it', () => {
    expect(waitText(wait('retry', { until: 5_000 }), 2_000)).toBe('waits for its next attempt, 3.0 s more');
    expect(waitText(wait('retry', { until: 5_000 }), 6_000)).toBe('waits for its next attempt');
    expect(waitText({ reason: 'moonrise', since: 1, on: 'moon' }, 2)).toBe('waits (moonrise) moon');
  });

  it('names only what was used', () => {
    expect(usageText({ tool_calls: 2, model_calls: 0, cost_usd: 0.01234 })).toBe('2 tool calls, $0.0123');
  });
});
