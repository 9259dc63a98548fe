import { invariant } from '@foldmesh/envelope';
import { z } from 'zod';

export const TaskStatus = z.enum([
  'pending',
  'ready',
  'running',
  'waiting',
  'completed',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
]);
export type TaskStatus = z.infer<typeof TaskStatus>;

export const JobStatus = z.enum([
  'queued',
  'planning',
  'running',
  'waiting',
  'paused',
  'stopping',
  'completed',
  'failed',
  'cancelled',
]);
export type JobStatus = z.infer<typeof JobStatus>;

/**
 * The one written table: within a round everything moves forward along it. Back go only a retry (`running` to
 * `waiting`) and what an assignment held and did not begin (`running` to `ready` or `pending`).
 */
export const taskMoves: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ['ready', 'skipped', 'cancelled'],
  ready: ['running', 'completed', 'failed', 'cancelled'],
  running: ['completed', 'failed', 'unknown', 'cancelled', 'waiting', 'ready', 'pending'],
  waiting: ['ready', 'cancelled'],
  completed: [],
  failed: [],
  skipped: [],
  cancelled: [],
  unknown: [],
};

export const jobMoves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['planning', 'running', 'stopping', 'completed'],
  planning: ['running', 'stopping'],
  running: ['waiting', 'paused', 'stopping', 'completed'],
  waiting: ['running', 'paused', 'stopping'],
  paused: ['running', 'stopping'],
  stopping: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};

export const taskEnded = (status: TaskStatus): boolean => taskMoves[status].length === 0;
export const jobEnded = (status: JobStatus): boolean => jobMoves[status].length === 0;

export const mayMove = <S extends string>(
  moves: Readonly<Record<S, readonly S[]>>,
  what: string,
  from: S,
  to: S,
): void => invariant(moves[from].includes(to), `M4: ${what} cannot go from ${from} to ${to}`);
