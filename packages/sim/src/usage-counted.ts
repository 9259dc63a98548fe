import { type Json, positionOf } from '@foldmesh/envelope';
import { type JobState, taskIdOf } from '@foldmesh/job';
import type { RunEvent, RunState } from '@foldmesh/run';
import type { Evidence, Verdict } from './evidence.ts';
import { sameJson } from './same-json.ts';
import type { SeenEntity } from './seen-entity.ts';

/** M5 after each step: what a job says it has used is what its tasks say they have. */
export const usageProblem = (
  name: string,
  { tasks, tool_calls, model_calls }: JobState,
): readonly string[] => {
  const sum = (of: 'tool_calls' | 'model_calls'): number =>
    tasks.reduce((all, { usage }) => all + (usage?.[of] ?? 0), 0);
  const wrong: string[] = [];
  if (sum('tool_calls') !== tool_calls)
    wrong.push(`${name} counts ${tool_calls} tool calls, and its tasks ${sum('tool_calls')}`);
  if (sum('model_calls') !== model_calls)
    wrong.push(`${name} counts ${model_calls} model calls, and its tasks ${sum('model_calls')}`);
  return wrong;
};

/** M5 after each step of a run: each reply it has noted is one that was served, with what it cost, and none counts twice. */
export const repliesProblem = (
  { name, events, state }: SeenEntity<RunState, RunEvent>,
  served: readonly Json[],
): readonly string[] => {
  const left = [...served];
  const wrong: string[] = [];
  let asked = 0;
  let replied = 0;
  for (const event of events) {
    if (event.kind === 'run-reopened') [asked, replied] = [0, 0];
    if (event.kind === 'model-asked') asked += 1;
    if (event.kind !== 'model-replied') continue;
    replied += 1;
    const at = left.findIndex((usage) => sameJson(usage, event.usage));
    if (at < 0) wrong.push(`${name} has noted ${JSON.stringify(event.usage)}, which no model has served it`);
    else left.splice(at, 1);
  }
  if (state.model_calls !== asked || replied > asked)
    wrong.push(
      `${name} counts ${state.model_calls} model calls; it asked ${asked} times and heard ${replied}`,
    );
  return wrong;
};

/** M5 at the end: a task that has completed has counted at least the calls that are known to have been served in it. */
export const usageCounted = ({ jobs, witness }: Evidence): Verdict => {
  const served = new Map<string, Set<string>>();
  for (const { key } of witness.rows) {
    const { job, task } = positionOf(key);
    const name = `${job}/${task}`;
    served.set(name, (served.get(name) ?? new Set()).add(key));
  }
  let looked = 0;
  const wrong = jobs.flatMap(({ told }) =>
    told.state.tasks.flatMap(({ status, usage }, ordinal) => {
      const known = served.get(`${told.name}/${taskIdOf(told.state, ordinal)}`)?.size ?? 0;
      if (status !== 'completed' || known === 0) return [];
      looked += 1;
      return (usage?.tool_calls ?? 0) >= known
        ? []
        : [
            `${told.name}: ${taskIdOf(told.state, ordinal)} counts ${usage?.tool_calls ?? 0} tool calls, and ${known} were served`,
          ];
    }),
  );
  return { looked, wrong };
};
