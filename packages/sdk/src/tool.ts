import type { JobId, Json, Key, Result, TenantId } from '@foldmesh/envelope';
import { limits } from '@foldmesh/envelope';
import type { z } from 'zod';

/**
 * What a tool does to the outside world. `read`: nothing. `idempotent`: twice is once. `keyed`: it takes the call's key
 * and keeps its own promise. `unsafe`: twice is twice, so a try that ended without a word is never repeated.
 */
export type EffectClass = 'read' | 'idempotent' | 'keyed' | 'unsafe';

export interface ToolCall {
  readonly tenant: TenantId;
  readonly job: JobId;
  /** The same in every try of this call: what a `keyed` tool hands on. */
  readonly key: Key;
  readonly signal: AbortSignal;
  /** Milliseconds UTC. */
  readonly deadline: number;
}

/** One atomic capability: JSON in, JSON out, behind the gateway only. */
export interface Tool {
  readonly kind: 'tool';
  readonly name: string;
  readonly description: string;
  readonly effect: EffectClass;
  /** An agent's call of it is the agent's answer, and ends its run. */
  readonly terminal: boolean;
  readonly input: z.ZodType;
  readonly output: z.ZodType | undefined;
  /** Milliseconds for one try. */
  readonly timeoutMs: number;
  readonly run: (input: never, call: ToolCall) => Promise<Result<unknown>>;
}

/** What a tool returns when it needs a person: the answer becomes its output. Only an agent can wait for one. */
export class Pause {
  readonly question: string;
  /** JSON Schema of the answer. */
  readonly schema: Json | undefined;

  constructor(question: string, schema: Json | undefined) {
    this.question = question;
    this.schema = schema;
  }
}

/** `return ok(pause('May I delete it?', { type: 'boolean' }))`. */
export const pause = (question: string, schema?: Json): Pause => new Pause(question, schema);

interface ToolDefinition<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly description?: string;
  readonly effect: EffectClass;
  readonly terminal?: boolean;
  /** Arguments are checked against it before anything runs; make it strict. */
  readonly input: I;
  readonly output?: O;
  readonly timeoutMs?: number;
  readonly run: (input: z.output<I>, call: ToolCall) => Promise<Result<z.input<O> | Pause>>;
}

const toolTimeoutMs = 60_000;

/** Declares a tool. `timeoutMs` is one minute unless said otherwise. A failure is a `Result`; what is thrown is a defect. */
export const defineTool = <I extends z.ZodType, O extends z.ZodType = z.ZodType<unknown, unknown>>(
  definition: ToolDefinition<I, O>,
): Tool => ({
  kind: 'tool',
  name: definition.name,
  description: definition.description ?? '',
  effect: definition.effect,
  terminal: definition.terminal ?? false,
  input: definition.input,
  output: definition.output,
  timeoutMs: Math.max(1, Math.min(definition.timeoutMs ?? toolTimeoutMs, limits.requestMs)),
  run: definition.run,
});
