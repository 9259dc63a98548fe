import {
  type Body,
  type Digest,
  type Envelope,
  fault,
  fingerprint,
  type Instant,
  isJsonObject,
  positionOf,
} from '@foldmesh/envelope';
import type { JobEvent, Spec } from './events.ts';
import { jobLimits } from './job-limits.ts';
import { parseSpec } from './parse-spec.ts';
import type { Catalogue } from './plan/catalogue.ts';
import { checkPlan } from './plan/check.ts';
import type { PlanTask } from './plan/plan.ts';
import type { Problem } from './problem.ts';
import type { SoundPart } from './sound-part.ts';
import type { JobSpec } from './spec.ts';
import type { JobState } from './state.ts';

/** The first entry is the lock: a job that has one takes no other submit. What cannot be run is refused, visibly, and dispatches nothing. */
export const onJobSubmit = (
  state: JobState,
  envelope: Envelope<'job.submit'>,
  at: Instant,
  catalogue: Catalogue,
): readonly JobEvent[] => {
  if (state.status !== undefined) return [];
  const checked = checkJob(envelope.payload, catalogue);
  const { tenant, job } = positionOf(envelope.idempotency_key);
  const identity = {
    tenant,
    job,
    trace_id: envelope.trace_id,
    print: fingerprint('job.submit', envelope.payload),
    at,
  } as const;
  if ('problems' in checked) {
    const detail = checked.problems.map(sayProblem).join('; ');
    return [
      {
        kind: 'job-refused',
        v: 1,
        ...identity,
        name: nameOf(envelope.payload),
        fault: fault('invalid', detail),
      },
    ];
  }
  const { spec, tasks } = checked;
  return [
    {
      kind: 'job-accepted',
      v: 1,
      ...identity,
      spec: specOf(spec),
      tasks: [...tasks],
      pins: pinsOf(tasks, catalogue),
      slots: Object.fromEntries(tasks.map((task) => [task.pool, catalogue.slots(task.pool)])),
    },
  ];
};

/** A specification with its checked plan, or all that is wrong with it. What the door, the dry run and the decider ask alike. */
export const checkJob = (
  payload: Body<'job.submit'>,
  catalogue: Catalogue,
):
  | { readonly spec: JobSpec; readonly tasks: readonly PlanTask[] }
  | { readonly problems: readonly Problem[] } => {
  const parsed = parseSpec(payload.spec);
  if ('problems' in parsed) {
    const { problems, sound } = parsed;
    return { problems: sound === undefined ? problems : [...problems, ...problemsOf(sound, catalogue)] };
  }
  const checked = checkPlan(parsed.spec, catalogue);
  return 'problems' in checked ? checked : { spec: parsed.spec, tasks: checked.tasks };
};

/** What the plan check says of a specification whose shape is wrong somewhere; of a task that is unsound it knows too little. */
const problemsOf = ({ spec, unsound }: SoundPart, catalogue: Catalogue): readonly Problem[] => {
  const checked = checkPlan(spec, catalogue);
  const problems = 'problems' in checked ? checked.problems : [];
  return problems.filter(({ path: [, list, index] }) => list !== 'tasks' || !unsound.has(Number(index)));
};

/** `plan.tasks.2.depends_on: …` */
export const sayProblem = ({ path, message }: Problem): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

const specOf = (spec: JobSpec): Spec => ({
  name: spec.name,
  ...(spec.goal !== undefined && { goal: spec.goal }),
  ...(spec.labels !== undefined && { labels: spec.labels }),
  ...(spec.inputs !== undefined && { inputs: spec.inputs }),
  split: spec.split ?? 'auto',
  wall_ms: spec.budget?.wall_ms ?? jobLimits.wallMsDefault,
  ...(spec.plan?.result !== undefined && { result: spec.plan.result }),
});

const pinsOf = (tasks: readonly PlanTask[], catalogue: Catalogue): Record<string, Digest> => {
  const pins: Record<string, Digest> = {};
  for (const { run } of tasks) {
    const offer = run.inline === undefined ? catalogue.find(run.kind, run.name) : undefined;
    if (offer !== undefined) pins[`${run.kind}:${run.name}`] = offer.digest;
  }
  return pins;
};

const nameOf = ({ spec }: Body<'job.submit'>): string => {
  const name = isJsonObject(spec) ? spec['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 128) : '(unnamed)';
};
