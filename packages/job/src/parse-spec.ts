import { isJsonObject, type Json, limits, nestsDeeperThan } from '@foldmesh/envelope';
import type { z } from 'zod';
import { type Problem, problemsIn } from './problem.ts';
import { type SoundPart, soundPart } from './sound-part.ts';
import { JobSpec } from './spec.ts';

/**
 * The specification, or everything that is wrong with its shape and everything this build does not do yet, by name; and then
 * `sound`, what can be judged of it all the same.
 */
export const parseSpec = (
  value: Json,
): { readonly spec: JobSpec } | { readonly problems: readonly Problem[]; readonly sound?: SoundPart } => {
  if (nestsDeeperThan(value, limits.specNestingMax))
    return { problems: [{ path: [], message: `nested deeper than ${limits.specNestingMax}` }] };
  const parsed = JobSpec.safeParse(value);
  if (!parsed.success) return misshapen(value, parsed.error.issues);
  const problems = [...unnameable(value), ...refusals(parsed.data)];
  return problems.length > 0
    ? { problems, sound: { spec: parsed.data, unsound: new Set() } }
    : { spec: parsed.data };
};

const misshapen = (value: Json, issues: readonly z.core.$ZodIssue[]) => {
  const sound = soundPart(value, issues);
  const shape = problemsIn(JobSpec, telling(issues));
  return sound === undefined
    ? { problems: shape }
    : { problems: [...shape, ...unnameable(value), ...refusals(sound.spec)], sound };
};

/** A misspelt field also leaves what it should have been missing; one complaint is enough for one mistake. */
const telling = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] => {
  const misspelt = new Set(
    issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join('.')),
  );
  return issues.filter(({ code, path }) => code !== 'custom' || !misspelt.has(path.join('.')));
};

/** What zod passes over in silence, and the job would lose. */
const unnameable = (value: Json): readonly Problem[] => {
  const labels = isJsonObject(value) ? value['labels'] : undefined;
  return isJsonObject(labels) && Object.hasOwn(labels, '__proto__')
    ? [{ path: ['labels', '__proto__'], message: 'no label can be called __proto__' }]
    : [];
};

/** What the schema accepts and the build does not yet do. */
const refusals = (spec: JobSpec): readonly Problem[] => {
  const problems: Problem[] = [];
  const refuse = (path: Problem['path'], message: string) =>
    problems.push({ path, message: `${message}: not supported yet` });
  if (spec.plan === undefined) refuse(['plan'], 'a job without a plan, to be written by a planner agent');
  for (const limit of ['model_calls', 'tool_calls', 'tokens', 'cost_usd'] as const)
    if (spec.budget?.[limit] !== undefined) refuse(['budget', limit], `a budget of ${limit}`);
  spec.plan?.tasks.forEach((task, index) => {
    const at = ['plan', 'tasks', index];
    const routes = Array.isArray(task.on_failure)
      ? task.on_failure.map((rule) => rule.do)
      : [task.on_failure ?? 'fail'];
    for (const route of routes)
      if (route !== 'fail' && route !== 'skip')
        refuse([...at, 'on_failure'], `the failure route ${JSON.stringify(route)} of task ${task.id}`);
  });
  return problems;
};
