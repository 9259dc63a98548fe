import { invariant } from '@foldmesh/envelope';
import type { EventOf, JobEvent } from './events.ts';
import { answered, asked } from './evolve-asks.ts';
import { evolveSettled } from './evolve-settled.ts';
import { historyLost, moveJob, stopping } from './evolve-stopping.ts';
import { endTask, makeReady, moveTask, takeOff } from './evolve-task.ts';
import { jobLimits } from './job-limits.ts';
import { type PlanTask, widthOf } from './plan/plan.ts';
import { type Dependent, initialJob, type JobState, noWork, type TaskState } from './state.ts';
import { planOf, taskAt } from './tasks.ts';
import { taskEnded } from './transitions.ts';

/** One event into the state, in place; costs the same for the first event and the ten thousandth. */
export const evolveJob = (state: JobState, event: JobEvent): JobState => {
  const next = applied(state, event);
  next.position += 1;
  return next;
};

const applied = (state: JobState, event: JobEvent): JobState => {
  switch (event.kind) {
    case 'job-accepted':
      return accepted(event);
    case 'job-refused':
      return refused(event);
    case 'plan-decided':
      return decided(state, event);
    case 'task-expanded':
      return expanded(state, event);
    case 'tasks-assigned':
      return assigned(state, event);
    case 'task-completed':
    case 'task-failed':
    case 'task-unknown':
    case 'task-stopped':
      return evolveSettled(state, event);
    case 'assignment-ended':
      return assignmentEnded(state, event);
    case 'tasks-retried':
      return retried(state, event);
    case 'task-refused':
      return taskRefused(state, event);
    case 'tasks-skipped':
      return skipped(state, event);
    case 'task-joined':
      return joined(state, event);
    case 'tasks-cancelled':
      for (const ordinal of event.tasks) endTask(state, ordinal, 'cancelled');
      return state;
    case 'input-asked':
      return asked(state, event);
    case 'input-answered':
      return answered(state, event);
    case 'job-stopping':
      return stopping(state, event);
    case 'history-lost':
      return historyLost(state, event);
    case 'job-completed':
    case 'job-failed':
    case 'job-cancelled':
      return ended(state, event);
  }
};

const accepted = (event: EventOf<'job-accepted'>): JobState => {
  const { kind: _, v: __, at, tasks: plan, ...given } = event;
  const state: JobState = {
    ...initialJob(),
    ...given,
    status: 'queued',
    accepted_at: at,
    deadline: at + given.spec.wall_ms,
    plan,
    dependents: dependentsOf(plan),
    tasks: plan.map(
      (task, ordinal): TaskState => ({
        plan: ordinal,
        status: 'pending',
        attempt: 1,
        failures: 0,
        unmet: task.deps.length,
      }),
    ),
    left: plan.length,
    decision_due: plan.length > 0,
    width: plan.reduce((sum, task) => sum + widthOf(task), 0),
  };
  plan.forEach((task, ordinal) => {
    state.ordinals[task.id] = ordinal;
    if (task.deps.length === 0) makeReady(state, ordinal);
  });
  return state;
};

const dependentsOf = (plan: readonly PlanTask[]): readonly (readonly Dependent[])[] => {
  const dependents: Dependent[][] = plan.map(() => []);
  plan.forEach((task, ordinal) => {
    for (const dep of task.deps) dependents[dep.task]?.push({ task: ordinal, optional: dep.optional });
  });
  return dependents;
};

const refused = (event: EventOf<'job-refused'>): JobState => ({
  ...initialJob(),
  status: 'failed',
  tenant: event.tenant,
  job: event.job,
  trace_id: event.trace_id,
  print: event.print,
  spec: { name: event.name, split: 'auto', wall_ms: jobLimits.wallMsDefault },
  accepted_at: event.at,
  deadline: event.at,
  fault: event.fault,
  end_reason: 'invalid',
  ended_at: event.at,
});

const decided = (state: JobState, { decision }: EventOf<'plan-decided'>): JobState => {
  if (state.status === 'queued') moveJob(state, 'running');
  state.decision = decision;
  state.decision_due = false;
  state.drift = 0;
  return state;
};

const expanded = (state: JobState, event: EventOf<'task-expanded'>): JobState => {
  const parent = taskAt(state, event.task);
  moveTask(state, event.task, 'running');
  const base = state.tasks.length;
  parent.group = { base, count: event.children, items: event.items, released: 0, ended: 0, gaps: [] };
  for (let child = 0; child < event.children; child++)
    state.tasks.push({ plan: parent.plan, child, status: 'pending', attempt: 1, failures: 0, unmet: 0 });
  state.left += event.children;
  takeOff(state.to_expand, [event.task]);
  const concurrency = widthOf(planOf(state, event.task));
  const released = Math.min(concurrency, event.children);
  while (parent.group.released < released) {
    makeReady(state, base + parent.group.released);
    parent.group.released += 1;
  }
  if (event.children === 0) state.to_join.push(event.task);
  state.drift += 1 / state.plan.length + (concurrency - Math.max(1, released)) / state.width;
  if (state.drift * jobLimits.decisionParts >= 1) state.decision_due = true;
  return state;
};

const assigned = (state: JobState, event: EventOf<'tasks-assigned'>): JobState => {
  const step = state.position;
  let index = 0;
  event.assignments.forEach((ordinals, call) => {
    for (const ordinal of ordinals) {
      const task = taskAt(state, ordinal);
      // A fused task is still pending: the worker meets what it waits for on the way.
      if (task.status === 'pending') moveTask(state, ordinal, 'ready');
      moveTask(state, ordinal, 'running');
      task.step ??= step;
      task.call ??= index;
      // The last field to be added is the one that can be deleted without making the object slow.
      task.held = { step, call };
      index += 1;
    }
    state.open.push({ step, call, at: event.at, tasks: ordinals, left: ordinals.length });
  });
  return forgetAssigned(state);
};

/** The ready list is read from `ready_from`; what lies before it is cut off now and then, not each time. */
const forgetAssigned = (state: JobState): JobState => {
  const isGone = (at: number) => state.tasks[state.ready[at] ?? 0]?.status !== 'ready';
  while (state.ready_from < state.ready.length && isGone(state.ready_from)) state.ready_from += 1;
  if (state.ready_from > 1024 && state.ready_from * 2 > state.ready.length) {
    state.ready = state.ready.slice(state.ready_from);
    state.ready_from = 0;
  }
  return state;
};

const assignmentEnded = (state: JobState, event: EventOf<'assignment-ended'>): JobState => {
  const assignment = state.open.find((open) => open.step === event.step && open.call === event.call);
  invariant(assignment !== undefined, `M4: no assignment ${event.step}.${event.call} is open`);
  state.open = state.open.filter((open) => open !== assignment);
  for (const ordinal of assignment.tasks) {
    const task = taskAt(state, ordinal);
    if (task.held?.step !== event.step || task.held.call !== event.call) continue;
    delete task.held;
    if (task.unmet > 0) moveTask(state, ordinal, 'pending');
    else {
      moveTask(state, ordinal, 'ready');
      state.ready.push(ordinal);
    }
  }
  return state;
};

const retried = (state: JobState, event: EventOf<'tasks-retried'>): JobState => {
  takeOff(state.retries, event.tasks);
  for (const ordinal of event.tasks) {
    const task = taskAt(state, ordinal);
    invariant(task.status === 'waiting', `M4: task ${ordinal} is ${task.status} and waits for no attempt`);
    delete task.due;
    moveTask(state, ordinal, 'ready');
    state.ready.push(ordinal);
  }
  return state;
};

const taskRefused = (state: JobState, event: EventOf<'task-refused'>): JobState => {
  taskAt(state, event.task).fault = event.fault;
  takeOff(state.to_expand, [event.task]);
  if (event.route === 'fail') state.broken ??= event.task;
  return endTask(state, event.task, 'failed');
};

const skipped = (state: JobState, event: EventOf<'tasks-skipped'>): JobState => {
  const gone = new Set(event.tasks.map(({ task }) => task));
  state.to_skip = state.to_skip.filter(({ task }) => !gone.has(task));
  for (const { task, because } of event.tasks) {
    taskAt(state, task).because = because;
    endTask(state, task, 'skipped');
  }
  return state;
};

const joined = (state: JobState, event: EventOf<'task-joined'>): JobState => {
  takeOff(state.to_join, [event.task]);
  const task = taskAt(state, event.task);
  task.group?.gaps.sort((a, b) => a - b);
  task.ended_at = event.at;
  return endTask(state, event.task, 'completed');
};

const endOf = { 'job-completed': 'completed', 'job-failed': 'failed', 'job-cancelled': 'cancelled' } as const;

const ended = (
  state: JobState,
  event: EventOf<'job-completed'> | EventOf<'job-failed'> | EventOf<'job-cancelled'>,
): JobState => {
  invariant(
    event.kind !== 'job-completed' || state.left === 0,
    `M4: ${state.left} tasks of a completed job have not ended`,
  );
  state.tasks.forEach((task, ordinal) => {
    if (!taskEnded(task.status)) endTask(state, ordinal, 'cancelled');
  });
  moveJob(state, endOf[event.kind]);
  if (event.kind === 'job-failed') state.fault = event.fault;
  state.end_reason = event.end_reason;
  if (event.receipt !== undefined) state.receipt = event.receipt;
  state.ended_at = event.at;
  state.asks = [];
  return Object.assign(state, noWork());
};
