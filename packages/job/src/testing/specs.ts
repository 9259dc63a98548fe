import type { Json } from '@foldmesh/envelope';
import type { JobSpec, TaskSpec } from '../spec.ts';

/** A job's specification as a client writes it. */
export const spec = (
  tasks: readonly TaskSpec[],
  { result, ...more }: Partial<JobSpec> & { readonly result?: Json } = {},
): Json => {
  const plan = { tasks, ...(result !== undefined && { result }) };
  return { name: 'a-job', ...more, plan } as Json; // nothing in it is undefined
};

/** A task done by the skill `work.a`, unless it names something else. */
export const task = (id: string, more: Partial<TaskSpec> = {}): TaskSpec => ({
  id,
  ...((more.tool ?? more.agent ?? more.pipeline) === undefined && { skill: 'work.a' }),
  ...more,
});

/** `${tasks.list.output}` for `tasks.list.output`. */
export const look = (path: string): string => `\${${path}}`;
