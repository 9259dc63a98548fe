import { Defect } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { JobStatus, jobEnded, jobMoves, mayMove, TaskStatus, taskEnded, taskMoves } from './transitions.ts';

test('a move along the table is made, any other is a defect that says which', () => {
  expect(() => mayMove(taskMoves, 'task 3', 'ready', 'running')).not.toThrow();
  expect(() => mayMove(taskMoves, 'task 3', 'completed', 'running')).toThrow(
    new Defect('M4: task 3 cannot go from completed to running'),
  );
  expect(() => mayMove(jobMoves, 'job j-1', 'stopping', 'running')).toThrow(Defect);
});

test('what has ended stays, and what has not can end', () => {
  const endings = (
    moves: Readonly<Record<string, readonly string[]>>,
    from: string,
    seen: string[] = [],
  ): string[] => {
    if (seen.includes(from)) return [];
    const next = moves[from] ?? [];
    return next.length === 0 ? [from] : next.flatMap((to) => endings(moves, to, [...seen, from]));
  };
  expect(TaskStatus.options.filter(taskEnded)).toEqual([
    'completed',
    'failed',
    'skipped',
    'cancelled',
    'unknown',
  ]);
  expect(JobStatus.options.filter(jobEnded)).toEqual(['completed', 'failed', 'cancelled']);
  for (const status of TaskStatus.options)
    expect(endings(taskMoves, status)).toContain(taskEnded(status) ? status : 'cancelled');
  for (const status of JobStatus.options) expect(endings(jobMoves, status)).not.toEqual([]);
});

test('a job fails and is cancelled only through stopping, so that last words are heard', () => {
  for (const status of JobStatus.options)
    if (status !== 'stopping') {
      expect(jobMoves[status]).not.toContain('failed');
      expect(jobMoves[status]).not.toContain('cancelled');
    }
});

test('back go only a retry and what an assignment held and did not begin', () => {
  const rank = {
    pending: 0,
    ready: 1,
    waiting: 2,
    running: 2,
    completed: 3,
    failed: 3,
    skipped: 3,
    cancelled: 3,
    unknown: 3,
  };
  const back = TaskStatus.options.flatMap((from) =>
    taskMoves[from].filter((to) => rank[to] < rank[from]).map((to) => `${from} to ${to}`),
  );
  expect(back).toEqual(['running to ready', 'running to pending', 'waiting to ready']);
});
