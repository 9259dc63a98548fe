import type { Carried, Fault, Instant, Json, Key, PoolName, Probed, TraceId } from '@foldmesh/envelope';
import type { RunTool } from './agent.ts';
import type { AskedCall, EndReason } from './events.ts';

export type RunStatus =
  | 'idle'
  | 'model_calling'
  | 'tool_calling'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** One call of the open group. It keeps its result beside its siblings', whatever becomes of them. */
export interface GroupCall extends AskedCall {
  status: 'ready' | 'sent' | 'paused' | 'returned';
  question?: string;
  schema?: Json;
  /** The event that last asked for something: its send, or its pause. */
  asked?: number;
  asked_at?: Instant;
}

/** The tool calls of one turn. */
export interface Group {
  /** Ordinal of the event that asked: the step of every call's key. */
  readonly step: number;
  readonly at: Instant;
  readonly calls: GroupCall[];
  left: number;
}

export interface Transition {
  readonly from: RunStatus;
  readonly to: RunStatus;
  readonly by: string;
  readonly at: Instant;
}

/** What never changes while a run lasts. */
export interface Started {
  readonly key: Key;
  readonly pool: PoolName;
  readonly trace_id: TraceId;
  readonly agent: string;
  readonly has_answer: boolean;
  readonly turns: number;
  readonly parallel: number;
  readonly group_ms: number;
  readonly tools: readonly RunTool[];
}

/**
 * A run without its history: what was said lies in the journal and is read only to ask the model. So this stays small, and
 * a run of a thousand steps loads like one of fifty. Plain data; `evolve` owns it.
 */
export interface RunState {
  position: number;
  status: RunStatus;
  started?: Started;
  attempt: number;
  started_at: Instant;
  /** Turns of this attempt. */
  turns: number;
  /** Empty turns in a row. */
  empty: number;
  /** The open request to the model. */
  asked?: { readonly step: number; readonly at: Instant };
  group?: Group;
  /** Of this attempt, counted when they are sent: never fewer than were served (M5). */
  model_calls: number;
  tool_calls: number;
  end?: {
    readonly reason: EndReason;
    readonly at: Instant;
    readonly answer?: Carried;
    readonly probed?: readonly Probed[];
    readonly fault?: Fault;
  };
  /** The last text the model said: what is left of a run that fails. */
  said: string;
  transitions: Transition[];
}

export const initialRun = (): RunState => ({
  position: 0,
  status: 'idle',
  attempt: 1,
  started_at: 0,
  turns: 0,
  empty: 0,
  model_calls: 0,
  tool_calls: 0,
  said: '',
  transitions: [],
});

export const runEnded = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
