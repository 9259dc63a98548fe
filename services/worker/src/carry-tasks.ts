import {
  type Envelope,
  fingerprint,
  Instant,
  type Json,
  limits,
  Probed,
  positionOf,
  type TaskPart,
  type TaskResult,
  Usage,
} from '@foldmesh/envelope';
import { expiredSource } from '@foldmesh/job';
import type { Stored } from '@foldmesh/ports';
import {
  believed,
  type Call,
  carryOut,
  type Done,
  type InHand,
  isFresh,
  jobStanding,
  type Ran,
  reusedFault,
  type Values,
  type Verdict,
} from '@foldmesh/runtime';
import { z } from 'zod';
import { carryInOrder } from './carry-order.ts';
import { settleOf } from './settle-tasks.ts';
import { inputOf, probe, type Sources } from './task-input.ts';

/** Runs one task on its input. */
export type RunTask = (part: TaskPart, input: Json, call: Call) => Promise<TaskRun>;
export interface TaskRun {
  readonly ran: Ran;
  readonly toolCalls: number;
}

/** What is stored with a task's outcome, and said again with it. */
const Extra = z.strictObject({
  worker: z.string(),
  started_at: Instant,
  ended_at: Instant,
  usage: Usage.optional(),
  probed: z.array(Probed).optional(),
});
type Extra = z.infer<typeof Extra>;

/**
 * An assignment, in order: each task claimed under its own key with its own strikes, so that of ten the one that kills
 * its process strikes out alone. Settles at the first task that is not completed; the manager decides on.
 */
export const carryTasks =
  (values: Values, runTask: RunTask) =>
  async (hand: InHand, envelope: Envelope<'task.assign'>): Promise<Verdict> => {
    const { tasks, attempts, bind = {} } = envelope.payload;
    const { tenant, job } = positionOf(envelope.idempotency_key);
    const attemptOf = (index: number): number => attempts?.[index] ?? envelope.attempt;
    const dones = await carryInOrder(hand, tasks, aheadOf(hand, attempts), {
      carry: (part, index, run) => carryPart(hand, part, attemptOf(index), run),
      run: (part, local, call) => runOnInput(hand, part, { tenant, job, values, bind, local }, runTask, call),
    });
    const results: TaskResult[] = [];
    let park: Extract<Verdict, { kind: 'answer' }>['park'];
    for (const [index, done] of dones.entries()) {
      if (done.kind === 'hand_back' || done.kind === 'silent') return done;
      const part = tasks[index] as TaskPart; // one for each
      const stored = done.kind === 'settled' ? again(done.stored) : reusedBy(part, done.label);
      const { outcome } = stored;
      results.push(resultOf(hand, part, attemptOf(index), stored));
      const strikes = done.kind === 'settled' ? done.strikes : 0;
      if (outcome.kind === 'failed' && (strikes > 0 || done.kind === 'reused'))
        park = { reason: outcome.fault.detail, strikes };
    }
    return { kind: 'answer', draft: settleOf(envelope, results), ...(park !== undefined && { park }) };
  };

/**
 * How many tasks are claimed before the first of them has ended. What may have been begun before is claimed one by one:
 * then only the task that kills its process has another strike.
 */
const aheadOf = (hand: InHand, attempts: readonly number[] = []): number =>
  isFresh(hand) && attempts.every((attempt) => attempt === 1) ? claimsAheadMax : 1;

const claimsAheadMax = 16;

/** What was met past its deadline may always be tried again: a task's own effects are its calls, each under its key. */
const again = (stored: Stored): Stored => {
  const { outcome } = stored;
  if (outcome.kind !== 'failed' || outcome.fault.source !== expiredSource) return stored;
  return { ...stored, outcome: { kind: 'failed', fault: { ...outcome.fault, kind: 'unavailable' } } };
};

const reusedBy = (part: TaskPart, first: string): Stored => ({
  outcome: { kind: 'failed', fault: reusedFault(part.key, first, labelOf(part)) },
});

const labelOf = ({ run, key }: TaskPart): string => `${run.kind} ${run.name} (${positionOf(key).task})`;

const carryPart = (
  hand: InHand,
  part: TaskPart,
  attempt: number,
  run: (call: Call) => Promise<Ran>,
): Promise<Done> => {
  const work = {
    type: 'task.assign',
    key: part.key,
    print: fingerprint('task.assign', { tasks: [part] }),
    attempt,
    label: labelOf(part),
    // A task's own effects are its calls, and each of those is claimed.
    unsafe: false,
    inlineBytesMax: limits.resultBytesInlineMax,
  } as const;
  return carryOut(hand, work, () => jobStanding(hand, part.key, attempt), run);
};

/** Looks the input up, runs, looks into the output for others, and notes when and by whom. */
const runOnInput = async (
  hand: InHand,
  part: TaskPart,
  sources: Sources,
  runTask: RunTask,
  call: Call,
): Promise<Ran> => {
  const { clock } = hand.host.ports;
  const started_at = clock.now();
  const input = await inputOf(part, sources);
  const { ran, toolCalls } = input.ok
    ? await runTask(part, input.value, call)
    : {
        ran: { kind: 'failed', fault: believed(input.fault, call.since, started_at) } as const,
        toolCalls: 0,
      };
  const probed =
    ran.kind === 'done' && part.probes !== undefined ? probe(ran.output, part.probes) : undefined;
  const extra: Extra = {
    worker: hand.host.instance,
    started_at,
    ended_at: Math.max(started_at, clock.now()),
    ...(toolCalls > 0 && { usage: { tool_calls: toolCalls } }),
    ...(probed !== undefined && { probed }),
  };
  return { ...ofCalls(ran), extra: extra as Json }; // its optional fields are absent, never undefined
};

/**
 * That a call of the task lay too long is not that the task did: this failure is of a try that was made. Where nothing of
 * the call has happened another attempt may make it.
 */
const ofCalls = (ran: Ran): Ran =>
  ran.kind === 'failed' && ran.fault.source === expiredSource
    ? {
        kind: 'failed',
        fault: {
          ...ran.fault,
          source: 'call',
          ...(ran.fault.kind === 'unavailable' && { retry_after_ms: 0 }),
        },
      }
    : ran;

/** Of an outcome nobody ran, like one past its deadline, this process is the witness. */
const resultOf = (hand: InHand, part: TaskPart, attempt: number, stored: Stored): TaskResult => {
  const now = hand.host.ports.clock.now();
  const extra = Extra.safeParse(stored.extra).data ?? {
    worker: hand.host.instance,
    started_at: now,
    ended_at: now,
  };
  return { key: part.key, attempt, outcome: stored.outcome, ...extra };
};
