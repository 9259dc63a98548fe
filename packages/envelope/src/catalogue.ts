import { z } from 'zod';
import { Fault } from './fault.ts';
import { Instant, Name } from './ids.ts';
import { json } from './json.ts';
import { Key } from './key.ts';
import type { Lifts } from './lifts.ts';
import { limits } from './limits.ts';
import { MemoryQuery, MemoryWrite } from './memory-call.ts';
import { ModelCall, ModelSettle } from './model-call.ts';
import { Outcome } from './outcome.ts';
import { TaskAssign } from './task-assign.ts';
import { TaskSettle } from './task-settle.ts';

/** What the mesh knows of one type of envelope. */
export interface Kind {
  /** The newest version of the payload that we read and the only one that we write. */
  readonly v: number;
  /** It has a deadline; each but `job.halt` gets an answer. */
  readonly request: boolean;
  readonly lane: Lane;
  readonly payload: z.ZodType;
  /** Fields of the payload that only carry and do not identify (ADR 1). */
  readonly carries?: readonly string[];
  /** From version 1 to `v`, one step each. */
  readonly lifts?: Lifts;
}

/** `decide` is read by decider hosts, `call` by handler hosts, `submit` is the door. */
export type Lane = 'decide' | 'call' | 'submit';

/** The specification is the job package's to parse; `trace_id` rides in the envelope. */
const JobSubmit = z.strictObject({ spec: json });
/** Why a job was not taken on: said to the waiting submitter alone, over a core subject; an accepted job speaks by its journal. */
const JobSettle = z.strictObject({ fault: Fault });
const JobCancel = z.strictObject({ reason: z.string().max(1000).optional() });
const ToolCall = z.strictObject({ tool: Name, input: json });
const ToolSettle = z.strictObject({ outcome: Outcome });
/** A run waits for a person. The answer goes to the call at this envelope's position. */
const InputAsk = z.strictObject({ task: Key, question: z.string(), schema: json.optional() });
/** To the manager it names the request; from there to the run it stands at the position of the call. */
const RunAnswer = z.strictObject({
  request: z.string().max(limits.nameLengthMax),
  value: json,
  by: z.string().max(limits.nameLengthMax),
});

/** The one catalogue: a type that is not here does not exist. */
export const catalogue = {
  'job.submit': { v: 1, request: true, lane: 'submit', payload: JobSubmit },
  'job.settle': { v: 1, request: false, lane: 'decide', payload: JobSettle },
  'job.cancel': { v: 1, request: false, lane: 'decide', payload: JobCancel },
  'job.halt': { v: 1, request: true, lane: 'call', payload: z.strictObject({}) },
  'task.assign': { v: 1, request: true, lane: 'call', payload: TaskAssign, carries: ['attempts', 'bind'] },
  'task.settle': { v: 1, request: false, lane: 'decide', payload: TaskSettle },
  'tool.call': { v: 1, request: true, lane: 'call', payload: ToolCall },
  'tool.settle': { v: 1, request: false, lane: 'decide', payload: ToolSettle },
  'model.call': { v: 1, request: true, lane: 'call', payload: ModelCall },
  'model.settle': { v: 1, request: false, lane: 'decide', payload: ModelSettle },
  'memory.write': { v: 1, request: true, lane: 'call', payload: MemoryWrite },
  'memory.query': { v: 1, request: true, lane: 'call', payload: MemoryQuery },
  'memory.settle': { v: 1, request: false, lane: 'decide', payload: ToolSettle },
  'input.ask': { v: 1, request: false, lane: 'decide', payload: InputAsk },
  'run.answer': { v: 1, request: false, lane: 'decide', payload: RunAnswer },
  'run.cancel': { v: 1, request: false, lane: 'decide', payload: z.strictObject({}) },
  'timer.fire': { v: 1, request: false, lane: 'decide', payload: z.strictObject({ due: Instant }) },
} as const satisfies Record<string, Kind>;

export type Type = keyof typeof catalogue;
export type Body<T extends Type> = z.infer<(typeof catalogue)[T]['payload']>;

export const isType = (name: string): name is Type => Object.hasOwn(catalogue, name);
export const kindOf = (type: Type): Kind => catalogue[type];
