import type { Envelope, Instant } from '@foldmesh/envelope';
import type { Decider } from '@foldmesh/ports';
import {
  type Agents,
  onCallSettle,
  onModelSettle,
  onRunAnswer,
  onRunCancel,
  onTaskAssign,
} from './decide.ts';
import { type RunEvent, readRunEvent } from './events.ts';
import { evolveRun } from './evolve.ts';
import { followRun, groupDueAt } from './follow.ts';
import { nextOfRun } from './next.ts';
import { initialRun, type RunState, runEnded } from './state.ts';

/** What a run listens to. */
export const runTypes = [
  'task.assign',
  'model.settle',
  'tool.settle',
  'memory.settle',
  'run.answer',
  'run.cancel',
  'timer.fire',
] as const;
export type RunType = (typeof runTypes)[number];

/** The part of the decider that reading a run's journal needs. */
export const runFold = { fold: 1, read: readRunEvent, initial: initialRun, evolve: evolveRun } as const;

/** The run as a fold. Definitions are asked only where an event then keeps what they said. */
export const runDecider = (agents: Agents): Decider<RunState, RunEvent, RunType> => ({
  ...runFold,
  decide: (state: RunState, envelope: Envelope<RunType>, at: Instant) => {
    switch (envelope.type) {
      case 'task.assign':
        return onTaskAssign(state, envelope, at, agents);
      case 'model.settle':
        return onModelSettle(state, envelope, at);
      case 'tool.settle':
      case 'memory.settle':
        return onCallSettle(state, envelope, at);
      case 'run.answer':
        return onRunAnswer(state, envelope, at);
      case 'run.cancel':
        return onRunCancel(state, at);
      case 'timer.fire':
        return []; // It brings nothing but the time, which `follow` compares with what is due.
    }
  },
  follow: followRun,
  next: nextOfRun,
  wakeAt: groupDueAt,
  ended: (state) => runEnded(state.status),
});
