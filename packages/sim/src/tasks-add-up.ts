import { type JobState, type TaskStatus, taskIdOf } from '@foldmesh/job';
import type { Evidence, Verdict } from './evidence.ts';
import type { ToldJob } from './told.ts';

/** M4: task states add up to the plan, and none is under way below a job that has ended. */
export const tasksAddUp = ({ jobs }: Evidence): Verdict => ({
  looked: jobs.reduce((sum, { told }) => sum + told.state.tasks.length, 0),
  wrong: jobs.flatMap(({ told }) => [...taskSums(told.name, told.state), ...runsLeft(told)]),
});

/** The same of one job at any moment, as far as its own journal shows it. */
export const taskSums = (name: string, state: JobState): readonly string[] => [
  ...underWay(name, state),
  ...sums(name, state),
  ...outOfTurn(name, state),
];

const under: readonly TaskStatus[] = ['pending', 'ready', 'running', 'waiting'];

const underWay = (name: string, state: JobState): readonly string[] =>
  state.ended_at === undefined
    ? []
    : state.tasks.flatMap(({ status }, ordinal) =>
        under.includes(status)
          ? [`${name} is ${state.status}, and its task ${taskIdOf(state, ordinal)} is ${status}`]
          : [],
      );

const sums = (name: string, state: JobState): readonly string[] => {
  const left = state.tasks.filter(({ status }) => under.includes(status)).length;
  const children = state.tasks.reduce((sum, { group }) => sum + (group?.count ?? 0), 0);
  const wrong: string[] = [];
  if (state.left !== left) wrong.push(`${name} counts ${state.left} tasks left, and there are ${left}`);
  if (state.tasks.length !== state.plan.length + children)
    wrong.push(
      `${name} has ${state.tasks.length} tasks for ${state.plan.length} of its plan and ${children} children`,
    );
  if (new Set(state.tasks.map((_, ordinal) => taskIdOf(state, ordinal))).size !== state.tasks.length)
    wrong.push(`${name} names two tasks alike`);
  if (state.status === 'completed' && state.tasks.some(({ status }) => status === 'unknown'))
    wrong.push(`${name} is completed, and the outcome of one of its tasks unknown`);
  return wrong;
};

/** What has run although a task it needs has not completed. */
const outOfTurn = (name: string, state: JobState): readonly string[] =>
  state.tasks.flatMap(({ status, child, plan }, ordinal) => {
    if (status !== 'completed' || child !== undefined) return [];
    return (state.plan[plan]?.deps ?? [])
      .filter(({ task, optional }) => !optional && state.tasks[task]?.status !== 'completed')
      .map(({ task }) => `${name}: ${taskIdOf(state, ordinal)} has run before ${taskIdOf(state, task)}`);
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
