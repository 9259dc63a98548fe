import {
  FaultKind,
  isJsonObject,
  type Json,
  type JsonObject,
  json,
  Name,
  TaskName,
} from '@foldmesh/envelope';
import { z } from 'zod';
import { jobLimits } from './job-limits.ts';

/** A record of zod's would drop a field called `__proto__` without a word, so what is only passed on is kept as it came. */
const object = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'must be an object'); // out of JSON.parse

const Route = z.union([z.enum(['fail', 'skip', 'ask']), z.strictObject({ agent: Name })]);
const OnFailure = z.union(
  [Route, z.array(z.strictObject({ when: FaultKind, do: Route })).max(16)],
  'must be fail, skip, ask, { agent: … } or a list of { when: <fault kind>, do: … }',
);

export const TaskSpec = z
  .strictObject({
    id: TaskName,
    agent: Name.optional(),
    skill: Name.optional(),
    tool: Name.optional(),
    /** A name, or the steps themselves. */
    pipeline: z.union([Name, z.array(json), object], 'must be a name, or the steps themselves').optional(),
    input: json.optional(),
    for_each: z.union([z.string(), z.array(json)], 'must be a list, or one lookup').optional(),
    batch: z.int().min(1).max(10_000).optional(),
    concurrency: z.int().min(1).max(jobLimits.concurrencyMax).optional(),
    depends_on: z
      .array(z.union([TaskName, z.strictObject({ task: TaskName, optional: z.boolean().optional() })]))
      .max(jobLimits.tasksMax)
      .optional(),
    retry: z.strictObject({ attempts: z.int().min(1).max(jobLimits.attemptsMax) }).optional(),
    on_failure: OnFailure.optional(),
  })
  .superRefine((task, context) => {
    const named = [task.agent, task.skill, task.tool, task.pipeline].filter(
      (run) => run !== undefined,
    ).length;
    if (named !== 1)
      context.addIssue({
        code: 'custom',
        message: `a task is exactly one of agent, skill, tool, pipeline; ${task.id} names ${named}`,
      });
    for (const field of ['batch', 'concurrency'] as const)
      if (task[field] !== undefined && task.for_each === undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `${field} means nothing without for_each`,
        });
  });
export type TaskSpec = z.infer<typeof TaskSpec>;

/** A job as people write it, in YAML or JSON. One schema for API, command and examples; unknown fields are errors. */
export const JobSpec = z.strictObject({
  name: Name,
  goal: z.string().max(10_000).optional(),
  labels: z
    .record(z.string().max(63), z.string().max(256))
    .refine(
      (labels) => Object.keys(labels).length <= jobLimits.labelsMax,
      `at most ${jobLimits.labelsMax} labels`,
    )
    .optional(),
  inputs: object.optional(),
  budget: z
    .strictObject({
      wall_ms: z.int().min(1).max(jobLimits.wallMsMax).optional(),
      model_calls: z.int().nonnegative().optional(),
      tool_calls: z.int().nonnegative().optional(),
      tokens: z.int().nonnegative().optional(),
      cost_usd: z.number().nonnegative().optional(),
    })
    .optional(),
  split: z.enum(['auto', 'always', 'never']).optional(),
  plan: z
    .strictObject({
      tasks: z
        .array(TaskSpec, 'must be a list of tasks; [] where there is nothing to do')
        .max(jobLimits.tasksMax, `a plan has at most ${jobLimits.tasksMax} tasks`),
      result: json.optional(),
    })
    .optional(),
});
export type JobSpec = z.infer<typeof JobSpec>;
