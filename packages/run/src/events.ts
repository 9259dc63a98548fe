import {
  Binding,
  Carried,
  Fault,
  Instant,
  json,
  Key,
  type Lifts,
  liftsBy,
  ModelUsage,
  OpenCall,
  PoolName,
  Probed,
  storedReader,
  TaskPart,
  TraceId,
} from '@foldmesh/envelope';
import { z } from 'zod';
import { Agent, RunTool, ToolBy } from './agent.ts';

const ordinal = z.int().nonnegative();

/** Why a run ended. Only `goal` is success. */
export const EndReason = z.enum([
  'goal',
  'turn_limit',
  'budget',
  'no_progress',
  'empty',
  'invalid',
  'refused',
  'cancelled',
  'failed',
]);
export type EndReason = z.infer<typeof EndReason>;

/** One call that the model asked for. `problem`: it cannot be made, and the text tells the model why. */
export const AskedCall = z.strictObject({
  name: z.string(),
  input: json,
  by: ToolBy,
  problem: z.string().optional(),
});
export type AskedCall = z.infer<typeof AskedCall>;

/** What a call came to, as the model will be told. */
export const CallAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('output'), output: Carried }),
  z.strictObject({ kind: z.literal('fault'), fault: Fault }),
  z.strictObject({ kind: z.literal('unknown'), open: OpenCall }),
]);
export type CallAnswer = z.infer<typeof CallAnswer>;

/** All that can happen to a run. A call is named by its index in the turn that asked for it. */
export const RunEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('run-started'),
    v: z.literal(1),
    key: Key,
    attempt: z.int().positive(),
    pool: PoolName,
    trace_id: TraceId,
    agent: Agent,
    tools: z.array(RunTool),
    part: TaskPart,
    bind: z.record(z.string(), Binding),
    at: Instant,
  }),
  /** Another attempt in the same journal: settled calls stay, turns are counted anew. */
  z.strictObject({
    kind: z.literal('run-reopened'),
    v: z.literal(1),
    attempt: z.int().positive(),
    at: Instant,
  }),
  z.strictObject({ kind: z.literal('model-asked'), v: z.literal(1), turn: ordinal, at: Instant }),
  z.strictObject({
    kind: z.literal('model-replied'),
    v: z.literal(1),
    text: z.string(),
    /** Goes back to the model as it came, before anything else of its turn. */
    reasoning: json.optional(),
    calls: z.array(AskedCall),
    usage: ModelUsage.optional(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('calls-sent'),
    v: z.literal(1),
    calls: z.array(ordinal).min(1),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('call-returned'),
    v: z.literal(1),
    call: ordinal,
    answer: CallAnswer,
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('call-paused'),
    v: z.literal(1),
    call: ordinal,
    question: z.string(),
    schema: json.optional(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('answer-given'),
    v: z.literal(1),
    call: ordinal,
    value: json,
    by: z.string(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('run-completed'),
    v: z.literal(1),
    answer: Carried,
    probed: z.array(Probed).optional(),
    at: Instant,
  }),
  z.strictObject({
    kind: z.literal('run-failed'),
    v: z.literal(1),
    end_reason: EndReason,
    fault: Fault,
    at: Instant,
  }),
  z.strictObject({ kind: z.literal('run-cancelled'), v: z.literal(1), at: Instant }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventOf<K extends RunEvent['kind']> = Extract<RunEvent, { kind: K }>;

/** How an event of an older version becomes one of the newest, by kind: `lifts[n]` brings version n + 1 to n + 2. */
const lifts: Partial<Record<RunEvent['kind'], Lifts>> = {};

/** A stored event, lifted; what cannot be read is a defect of this build, not of the run. */
export const readRunEvent = storedReader('a run event', RunEvent, liftsBy(lifts));
