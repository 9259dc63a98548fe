import type { PlanPreview } from '@foldmesh/client';
import { graphDepths } from './live/graph-depths.ts';
import { planGraph } from './plan-graph.ts';

const assignmentsShownMax = 10;
const tasksShownMax = 60;
/** A list indents no further than this, so no deeper chain is followed. */
const depthMax = 8;

/** How many items each `for_each` has, where that is known before anything runs. */
type Items = ReadonlyMap<string, number>;

/** A dry run in words, and its graph as a picture where that fits into `columns`: each task below those it waits for. */
export const planText = (
  { name, tasks, decision, first }: PlanPreview,
  items: Items,
  columns: number,
): string => {
  const positions = new Map(tasks.map(({ id }, position) => [id, position]));
  const before = tasks.map(({ depends_on }) => depends_on.flatMap((id) => positions.get(id) ?? []));
  const depths = graphDepths(before, depthMax);
  const lines = [`${name}: ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`];
  for (const [position, task] of tasks.slice(0, tasksShownMax).entries()) {
    const each = task.for_each === undefined ? '' : eachText(task.for_each, items.get(task.id));
    const after =
      task.depends_on.length === 0
        ? ''
        : ` ← ${task.depends_on.slice(0, 6).join(', ')}${task.depends_on.length > 6 ? ` and ${task.depends_on.length - 6} more` : ''}`;
    lines.push(`${'  '.repeat(1 + (depths[position] ?? 0))}${task.id}  ${task.run}${each}${after}`);
  }
  if (tasks.length > tasksShownMax) lines.push(`  … and ${tasks.length - tasksShownMax} more`);
  lines.push(...pictureOf(tasks, before, items, columns));
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

const eachText = (
  { batch, concurrency }: NonNullable<PlanPreview['tasks'][number]['for_each']>,
  count: number | undefined,
): string =>
  ` for each${count === undefined ? '' : ` of ${count}`}, ${batch > 1 ? `${batch} at a time, ` : ''}at most ${concurrency} side by side`;

const assignment = (tasks: readonly string[]): string =>
  tasks.length > 4 ? `${tasks[0]} → … → ${tasks.at(-1)} (${tasks.length})` : tasks.join(' → ');

/** The graph alone, set off from the words around it; nothing where it has no edge or does not fit. */
const pictureOf = (
  tasks: PlanPreview['tasks'],
  before: readonly (readonly number[])[],
  items: Items,
  columns: number,
): readonly string[] => {
  const nodes = tasks.map(({ id, for_each }, position) => ({
    label: for_each === undefined ? id : `${id} ×${items.get(id) ?? 'n'}`,
    before: before[position] ?? [],
  }));
  const drawn = planGraph(nodes, columns - indent.length);
  return drawn === undefined
    ? []
    : [
        '',
        ...drawn
          .trimEnd()
          .split('\n')
          .map((line) => `${indent}${line}`),
        '',
      ];
};

const indent = '  ';
