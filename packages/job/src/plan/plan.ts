import { FaultKind, json, Path, PoolName, Run, TaskName } from '@foldmesh/envelope';
import { z } from 'zod';

/** A task of a checked plan. Others are named by ordinal. */
export const PlanTask = z.strictObject({
  id: TaskName,
  run: Run,
  pool: PoolName,
  input: json,
  deps: z.array(z.strictObject({ task: z.int().nonnegative(), optional: z.boolean() })),
  for_each: z
    .strictObject({ source: json, batch: z.int().positive().optional(), concurrency: z.int().positive() })
    .optional(),
  attempts: z.int().positive(),
  /** The first rule whose kind fits decides; none: fail. */
  on_failure: z.array(z.strictObject({ when: FaultKind.optional(), do: z.enum(['fail', 'skip']) })),
  /** Paths into this task's output that a `for_each` or the job's result will need. */
  probes: z.array(Path),
  cost_ms: z.number().nonnegative(),
});
export type PlanTask = z.infer<typeof PlanTask>;

/** Tasks can be joined in one assignment only where this is equal. */
export const companyOf = (task: Pick<PlanTask, 'run' | 'pool'>): string => `${task.run.kind}/${task.pool}`;

/** What durations are remembered under. */
export const runName = ({ run }: Pick<PlanTask, 'run'>): string => `${run.kind}:${run.name}`;

/** Side-by-side tasks that it stands for as long as nobody knows how many there will be. */
export const widthOf = ({ for_each }: Pick<PlanTask, 'for_each'>): number => for_each?.concurrency ?? 1;
