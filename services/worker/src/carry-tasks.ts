import {
  type Carried,
  type Draft,
  type Envelope,
  type Fault,
  fingerprint,
  Instant,
  type Json,
  limits,
  type MeshHeaders,
  Probed,
  positionOf,
  shardOf,
  type TaskPart,
  type TaskResult,
  Usage,
} from '@foldmesh/envelope';
import { expiredSource } from '@foldmesh/job';
import type { Stored } from '@foldmesh/ports';
import {
  type Call,
  carryOut,
  type Done,
  type Host,
  type InHand,
  jobStanding,
  type Ran,
  reusedFault,
  type Values,
  type Verdict,
} from '@foldmesh/runtime';
import { z } from 'zod';
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
    const local = new Map<string, Carried>();
    const results: TaskResult[] = [];
    let park: Extract<Verdict, { kind: 'answer' }>['park'];
    for (const [index, part] of tasks.entries()) {
      // On the way out what is done is said now; the rest is ready again elsewhere.
      if (index > 0 && (hand.host.intake.aborted || hand.hold.signal.aborted)) break;
      const attempt = attempts?.[index] ?? envelope.attempt;
      const done = await carryPart(hand, part, attempt, (call) =>
        runOnInput(hand, part, { tenant, job, values, bind, local }, runTask, call),
      );
      if (done.kind === 'hand_back' || done.kind === 'silent') return done;
      const stored = done.kind === 'settled' ? again(done.stored) : reusedBy(part, done.label);
      const { outcome } = stored;
      results.push(resultOf(hand, part, attempt, stored));
      if (outcome.kind === 'done') {
        local.set(positionOf(part.key).task, outcome.output);
        continue;
      }
      const strikes = done.kind === 'settled' ? done.strikes : 0;
      if (outcome.kind === 'failed' && (strikes > 0 || done.kind === 'reused'))
        park = { reason: outcome.fault.detail, strikes };
      break;
    }
    return { kind: 'answer', draft: settleOf(envelope, results), ...(park !== undefined && { park }) };
  };

/** What the manager is told of an assignment that nobody could read, by the key that its header names. */
export const refusedTasks =
  (host: Pick<Host, 'instance' | 'ports'>) =>
  ({ key, attempt }: MeshHeaders, why: Fault): Draft => {
    const at = host.ports.clock.now();
    const outcome = { kind: 'failed', fault: why } as const;
    const result = { key, attempt, outcome, worker: host.instance, started_at: at, ended_at: at };
    return settleOf({ idempotency_key: key, attempt }, [result]);
  };

const settleOf = (
  { idempotency_key: key, attempt }: Pick<Envelope, 'idempotency_key' | 'attempt'>,
  results: TaskResult[],
): Draft => ({
  type: 'task.settle',
  to: { service: 'manager', pool: shardOf(positionOf(key).job) },
  key,
  attempt,
  payload: { results },
});

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
    : { ran: { kind: 'failed', fault: input.fault } as const, toolCalls: 0 };
  const probed =
    ran.kind === 'done' && part.probes !== undefined ? probe(ran.output, part.probes) : undefined;
  const extra: Extra = {
    worker: hand.host.instance,
    started_at,
    ended_at: Math.max(started_at, clock.now()),
    ...(toolCalls > 0 && { usage: { tool_calls: toolCalls } }),
    ...(probed !== undefined && { probed }),
  };
  return { ...ran, extra: extra as Json }; // its optional fields are absent, never undefined
};

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
