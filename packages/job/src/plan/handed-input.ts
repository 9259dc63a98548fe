import type { Json } from '@foldmesh/envelope';
import type { JobSpec, TaskSpec } from '../spec.ts';

/**
 * The input of a task whose author wrote none. What takes arguments gets none; an agent is handed what there is, and never a
 * task with nothing to go by: the job's inputs, its item, and what the tasks made that it depends on.
 */
export const handedInput = (spec: JobSpec, task: TaskSpec, isTask: (id: string) => boolean): Json => {
  if (task.agent === undefined) return {};
  const before = (task.depends_on ?? [])
    .map((dependency) => (typeof dependency === 'string' ? dependency : dependency.task))
    .filter((id) => isTask(id) && id !== task.id);
  return {
    ...(spec.inputs !== undefined && { inputs: lookup('inputs') }),
    ...(task.for_each !== undefined && { item: lookup('item') }),
    ...(before.length > 0 && {
      results: Object.fromEntries(before.map((id) => [id, lookup(`tasks.${id}.output`)])),
    }),
  };
};

const lookup = (path: string): string => `\${${path}}`;
