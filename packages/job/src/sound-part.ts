import { isJsonObject, type Json, type JsonObject } from '@foldmesh/envelope';
import type { z } from 'zod';
import { type JobSpec, TaskSpec } from './spec.ts';

/** What can be judged of a specification whose shape is wrong somewhere: of `unsound` tasks only that they are there. */
export interface SoundPart {
  readonly spec: JobSpec;
  readonly unsound: ReadonlySet<number>;
}

type Issue = z.core.$ZodIssue;

/**
 * A specification without what the schema complains of, so that one mistake does not hide the others. Undefined where
 * what others refer to is wrong itself, the inputs or the id of a task: each reference would be one more complaint.
 */
export const soundPart = (value: Json, issues: readonly Issue[]): SoundPart | undefined => {
  const plan = isJsonObject(value) ? value['plan'] : undefined;
  const tasks = isJsonObject(plan) ? plan['tasks'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(plan) || !Array.isArray(tasks)) return undefined;
  if (issues.some(isOfNames) || !tasks.every(isJsonObject)) return undefined;
  const { inputs } = value;
  const wrong = byTask(issues);
  const unsound = new Set<number>();
  const specs = tasks.map((task, index): TaskSpec => {
    const sound = TaskSpec.safeParse(without(task, wrong.get(index) ?? []));
    if (sound.success) return sound.data;
    unsound.add(index);
    return { id: String(task['id']) };
  });
  const { result } = plan;
  return {
    spec: {
      name: '',
      ...(isJsonObject(inputs ?? null) && { inputs: inputs as JsonObject }), // that is what was asked
      plan: { tasks: specs, ...(result !== undefined && { result }) },
    },
    unsound,
  };
};

const byTask = (issues: readonly Issue[]): ReadonlyMap<number, readonly Issue[]> => {
  const wrong = new Map<number, Issue[]>();
  for (const issue of issues) {
    const [, list, index] = issue.path;
    if (list !== 'tasks' || typeof index !== 'number') continue;
    const known = wrong.get(index);
    if (known === undefined) wrong.set(index, [issue]);
    else known.push(issue);
  }
  return wrong;
};

const isOfNames = ({ path: [field, list, , name], path, code }: Issue): boolean =>
  field === 'inputs' ||
  (field === 'plan' && path.length < 3 && code !== 'unrecognized_keys') ||
  (list === 'tasks' && name === 'id');

/** The fields of a task that nothing is wrong with. A `for_each` stays one, for its input may ask for the item. */
const without = (task: JsonObject, issues: readonly Issue[]): JsonObject => {
  const sound = { ...task };
  for (const issue of issues) {
    const field = issue.path[3];
    if (field === 'for_each') sound['for_each'] = [];
    else if (typeof field === 'string') delete sound[field];
    else if (issue.code === 'unrecognized_keys') for (const key of issue.keys) delete sound[key];
  }
  return sound;
};
