import type { DryRun } from '@foldmesh/job';

const assignmentsShownMax = 10;
const tasksShownMax = 60;

/** A dry run in words, and its graph as a small picture: each task below those it waits for. */
export const planText = ({ name, tasks, decision, first }: DryRun): string => {
  const lines = [`${name}: ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`];
  for (const task of tasks.slice(0, tasksShownMax)) {
    const each =
      task.for_each === undefined
        ? ''
        : ` for each, ${task.for_each.batch > 1 ? `${task.for_each.batch} at a time, ` : ''}${task.for_each.concurrency} side by side`;
    const after =
      task.depends_on.length === 0
        ? ''
        : ` ← ${task.depends_on.slice(0, 6).join(', ')}${task.depends_on.length > 6 ? ` and ${task.depends_on.length - 6} more` : ''}`;
    lines.push(
      `${'  '.repeat(1 + Math.min(8, depthOf(tasks, task.id)))}${task.id}  ${task.run}${each}${after}`,
    );
  }
  if (tasks.length > tasksShownMax) lines.push(`  … and ${tasks.length - tasksShownMax} more`);
  if (decision === null)
    return `${[...lines, 'nothing to do: the job would end at once with an empty result'].join('\n')}\n`;
  lines.push(`${decision.split ? 'split' : 'not split'}: ${decision.reason}`);
  lines.push(
    `density ${decision.density} (threshold ${decision.threshold}), predicted ${decision.predicted_ms} ms, alone ${decision.alone_ms} ms`,
  );
  lines.push(
    `first out: ${first.slice(0, assignmentsShownMax).map(assignment).join(' | ')}${first.length > assignmentsShownMax ? ` | … ${first.length} assignments` : ''}`,
  );
  return `${lines.join('\n')}\n`;
};

const assignment = (tasks: readonly string[]): string =>
  tasks.length > 4 ? `${tasks[0]} → … → ${tasks.at(-1)} (${tasks.length})` : tasks.join(' → ');

/** How many tasks at most lie before one. Tasks are few here: a longer plan is shown in part. */
const depthOf = (tasks: DryRun['tasks'], id: string): number => {
  const depths = new Map<string, number>();
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const depth = (of: string, left: number): number => {
    const known = depths.get(of);
    if (known !== undefined || left === 0) return known ?? 0;
    const before = byId.get(of)?.depends_on ?? [];
    const here = before.reduce((most, dep) => Math.max(most, 1 + depth(dep, left - 1)), 0);
    depths.set(of, here);
    return here;
  };
  return depth(id, depthMax);
};

/** A picture indents no further than this, so no deeper chain is followed. */
const depthMax = 16;
