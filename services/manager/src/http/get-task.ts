import type { TaskAttempt, TaskDetail } from '@foldmesh/client';
import { type JobEvent, jobFold, planOf, taskAt, taskIdOf, taskRecord } from '@foldmesh/job';
import type { ApiCall } from './api-call.ts';
import { eachEvent } from './journal-entries.ts';
import { jsonAnswer } from './json-answer.ts';
import { type KnownTask, knownTask } from './known-task.ts';
import { faultProblem } from './problem.ts';

/** One task, and what became of every attempt at it. */
export const getTask = async (call: ApiCall): Promise<Response> => {
  const known = await knownTask(call);
  if (known instanceof Response) return known;
  const attempts = attemptsOf(known.ordinal);
  const { status, attempt } = taskAt(known.loaded.state, known.ordinal);
  // Of a task that waits for others there is nothing to be read, and after its last attempt nothing more.
  const isEnough = (): boolean => status === 'pending' || attempts.last() === attempt;
  const told = await eachEvent(call, jobFold, known.entity, attempts.tell, {
    isEnough,
    lost: 'passed over',
  });
  if (!told.ok) return faultProblem(call, told.fault, known.entity.job);
  return jsonAnswer(detailOf(known, attempts.all(status === 'running' ? attempt : undefined)));
};

const detailOf = (
  { entity: { job }, loaded: { state }, task, ordinal }: KnownTask,
  attempts: readonly TaskAttempt[],
): TaskDetail => {
  const plan = planOf(state, ordinal);
  const { kind, name } = plan.run;
  const self = `/v1/jobs/${job}/tasks/${task}`;
  return {
    ...taskRecord(state, ordinal),
    job,
    round: state.round,
    run: { kind, name },
    pool: plan.pool,
    depends_on: plan.deps.map((dep) => taskIdOf(state, dep.task)),
    attempts,
    links: {
      self,
      job: `/v1/jobs/${job}`,
      ...(kind === 'agent' && {
        messages: `${self}/messages`,
        journal: `/v1/jobs/${job}/journal?task=${task}`,
      }),
    },
  };
};

interface Attempts {
  readonly tell: (event: JobEvent) => void;
  /** The last attempt, once it has ended and no other follows. */
  readonly last: () => number | undefined;
  /** `running`: the attempt that is under way. */
  readonly all: (running: number | undefined) => readonly TaskAttempt[];
}

/** Gathers what a job's events say of one task. */
const attemptsOf = (ordinal: number): Attempts => {
  const ended: TaskAttempt[] = [];
  let assigned_at: number | undefined;
  const end = (status: TaskAttempt['status'], event: Settled): void => {
    const { attempt, worker, started_at, ended_at, usage } = event;
    ended.push({
      attempt,
      status,
      ...(assigned_at !== undefined && { assigned_at }),
      worker,
      started_at,
      ended_at,
      ...(usage !== undefined && { usage }),
      ...(event.kind === 'task-failed' && { fault: event.fault }),
      ...(event.kind === 'task-failed' && event.due !== undefined && { retry_at: event.due }),
      ...(event.kind === 'task-unknown' && { open: event.open }),
    });
    assigned_at = undefined;
  };
  return {
    tell: (event) => {
      switch (event.kind) {
        case 'tasks-assigned':
          if (event.assignments.some((tasks) => tasks.includes(ordinal))) assigned_at = event.at;
          return;
        case 'task-completed':
          return event.task === ordinal ? end('completed', event) : undefined;
        case 'task-failed':
          return event.task === ordinal ? end('failed', event) : undefined;
        case 'task-unknown':
          return event.task === ordinal ? end('unknown', event) : undefined;
        case 'task-stopped':
          return event.task === ordinal ? end('stopped', event) : undefined;
        default:
          return undefined;
      }
    },
    last: () => {
      const last = ended.at(-1);
      return last?.retry_at === undefined ? last?.attempt : undefined;
    },
    all: (running) =>
      running === undefined || assigned_at === undefined
        ? ended
        : [...ended, { attempt: running, status: 'running', assigned_at }],
  };
};

type Settled = Extract<
  JobEvent,
  { kind: 'task-completed' | 'task-failed' | 'task-unknown' | 'task-stopped' }
>;
