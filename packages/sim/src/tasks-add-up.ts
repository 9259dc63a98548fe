import type { TaskStatus } from '@foldmesh/job';
import type { Evidence, Verdict } from './evidence.ts';
import type { ToldJob } from './told.ts';

/** M4: task states add up to the plan, and none is under way below a job that has ended. */
export const tasksAddUp = ({ jobs }: Evidence): Verdict => ({
  looked: jobs.reduce((sum, { told }) => sum + told.state.tasks.length, 0),
  wrong: jobs.flatMap(({ told }) => [
    ...underWay(told),
    ...sums(told),
    ...outOfTurn(told),
    ...runsLeft(told),
  ]),
});

const under: readonly TaskStatus[] = ['pending', 'ready', 'running', 'waiting'];

const underWay = ({ name, state, record }: ToldJob): readonly string[] =>
  state.ended_at === undefined
    ? []
    : record.tasks
        .filter(({ status }) => under.includes(status))
        .map(({ id, status }) => `${name} is ${record.status}, and its task ${id} is ${status}`);

const sums = ({ name, state, record }: ToldJob): readonly string[] => {
  const left = state.tasks.filter(({ status }) => under.includes(status)).length;
  const children = state.tasks.reduce((sum, { group }) => sum + (group?.count ?? 0), 0);
  const wrong: string[] = [];
  if (state.left !== left) wrong.push(`${name} counts ${state.left} tasks left, and there are ${left}`);
  if (state.tasks.length !== state.plan.length + children)
    wrong.push(
      `${name} has ${state.tasks.length} tasks for ${state.plan.length} of its plan and ${children} children`,
    );
  if (new Set(record.tasks.map(({ id }) => id)).size !== record.tasks.length)
    wrong.push(`${name} names two tasks alike`);
  if (
    state.ended_at !== undefined &&
    record.status === 'completed' &&
    record.tasks.some(({ status }) => status === 'unknown')
  )
    wrong.push(`${name} is completed, and the outcome of one of its tasks unknown`);
  return wrong;
};

/** What has run although a task it needs has not completed. */
const outOfTurn = ({ name, state, record }: ToldJob): readonly string[] =>
  state.tasks.flatMap(({ status, child, plan }, ordinal) => {
    if (status !== 'completed' || child !== undefined) return [];
    return (state.plan[plan]?.deps ?? [])
      .filter(({ task, optional }) => !optional && state.tasks[task]?.status !== 'completed')
      .map(({ task }) => `${name}: ${record.tasks[ordinal]?.id} has run before ${record.tasks[task]?.id}`);
  });

/** A run may outlive its job's last word only for as long as its own cancel takes. */
const runsLeft = ({ name, state, runs }: ToldJob): readonly string[] =>
  state.ended_at === undefined
    ? []
    : [...runs].flatMap(([task, run]) =>
        ['completed', 'failed', 'cancelled'].includes(run.state.status)
          ? []
          : [`${name} has ended, and the run of ${task} is ${run.state.status}`],
      );
