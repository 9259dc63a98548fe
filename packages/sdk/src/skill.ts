import type { Fault, FaultKind, Json, Result } from '@foldmesh/envelope';
import { cut, limits } from '@foldmesh/envelope';
import type { z } from 'zod';
import type { Recalled, Remembered } from './memory.ts';

/** A fact to remember: up to 8,000 characters of text, 32 tags, and 64 KiB with its data. */
export interface ToRemember {
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  readonly data?: Json | undefined;
}

/** What to recall: facts with any of the words of `text` and all of the tags, ten unless `limit` says otherwise. */
export interface ToRecall {
  readonly text?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Only what this job has remembered; without it, what any job of the tenant has. */
  readonly this_job?: boolean | undefined;
  /** At most 100. */
  readonly limit?: number | undefined;
}

/**
 * What a skill can do. Calls are numbered in the order in which they are made: after a crash the skill runs again from
 * its top, and each call answers from its stored result. So the order must follow from the input and from answers alone.
 */
export interface SkillCall {
  /** From 1; counts the manager's attempts, not the tries inside one. */
  readonly attempt: number;
  /** Aborts when the task is cancelled, out of time, or no longer ours. */
  readonly signal: AbortSignal;
  /** Milliseconds UTC. */
  readonly deadline: number;
  /** Calls a tool through the gateway; throws a {@link SkillFault} when it fails. */
  tool(name: string, input: Json): Promise<Json>;
  /** The same, but a failure is a value. */
  tryTool(name: string, input: Json): Promise<Result<Json>>;
  /**
   * Remembers a fact, as the tenant and job of this task and never as another's; throws a {@link SkillFault} when it
   * fails.
   */
  remember(fact: ToRemember): Promise<Remembered>;
  /** Recalls facts of this tenant, best first; throws a {@link SkillFault} when it fails. */
  recall(query: ToRecall): Promise<readonly Recalled[]>;
  /** Runs another skill here and now, as one numbered branch of this one. */
  invoke(skill: string, input: Json): Promise<Json>;
  /** Runs branches side by side, `width` at once (all by default); results in their order. The first failure aborts the rest. */
  all<T>(branches: readonly ((call: SkillCall) => Promise<T>)[], width?: number): Promise<readonly T[]>;
  /** Waits; ends early, without an error, when the signal aborts. */
  sleep(ms: number): Promise<void>;
}

/** A named procedure with its own policy. It holds a slot, for minutes at most; what may wait longer is an agent. */
export interface Skill {
  readonly kind: 'skill';
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType | undefined;
  /** Milliseconds for one run. */
  readonly timeoutMs: number;
  readonly run: (input: never, call: SkillCall) => Promise<unknown>;
}

interface SkillDefinition<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly description?: string;
  readonly input: I;
  /** Checked before the result counts; without it any JSON value will do. */
  readonly output?: O;
  readonly timeoutMs?: number;
  readonly run: (input: z.output<I>, call: SkillCall) => Promise<z.input<O>>;
}

const skillTimeoutMs = 5 * 60_000;

/** Declares a skill. `timeoutMs` is five minutes unless said otherwise, and at most the ten of a request. */
export const defineSkill = <I extends z.ZodType, O extends z.ZodType = z.ZodType<unknown, unknown>>(
  definition: SkillDefinition<I, O>,
): Skill => {
  // Types are stripped and not checked where a file is run: what would be passed over in silence is refused.
  if (Object.hasOwn(definition, 'pool'))
    throw new Error(`the skill ${definition.name}: a pool of its own is not supported yet`);
  return {
    kind: 'skill',
    name: definition.name,
    description: definition.description ?? '',
    input: definition.input,
    output: definition.output,
    timeoutMs: Math.max(1, Math.min(definition.timeoutMs ?? skillTimeoutMs, limits.requestMs)),
    run: definition.run,
  };
};

/** How a skill, or a tool's code, says that it failed and how. Anything else that is thrown is a defect of the skill. */
export class SkillFault extends Error {
  override readonly name = 'SkillFault';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`${fault.kind}: ${fault.detail}`);
    this.fault = fault;
  }
}

/** Throw it to end a task with a fault; `retryAfterMs` present says that another attempt may help. */
export const failed = (kind: FaultKind, detail: string, retryAfterMs?: number): SkillFault =>
  new SkillFault({
    kind,
    detail: cut(detail, limits.faultDetailBytesMax),
    ...(retryAfterMs !== undefined && { retry_after_ms: Math.max(0, Math.round(retryAfterMs)) }),
  });
