import type { Carried, Instant, Json, Outcome, RepliedCall } from '@foldmesh/envelope';
import { type Choices, takeTurn } from '@foldmesh/ports/internal';
import type { RunEvent } from '../events.ts';
import type { RunState } from '../state.ts';
import * as mail from './envelopes.ts';
import type { RunDecider } from './story.ts';

/** How a run stands after a turn, and what the turn said. */
export interface Seen {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly at: Instant;
}

const turnsMax = 60;

/**
 * Plays a run among models and tools that say anything, in any order, again, late, with faults, pauses, cancels and new
 * attempts in between. `watch` sees each turn; what comes back is the journal.
 */
export const randomRun = (
  decider: RunDecider,
  draw: Choices,
  watch: (seen: Seen) => void = () => undefined,
): readonly RunEvent[] => {
  const said: ReturnType<mail.Mail>[] = [];
  const journal: RunEvent[] = [];
  const agent = draw.oneOf(['clerk', 'judge', 'planner', 'clerk', 'clerk', 'wanting', 'nobody']);
  let state = decider.initial();
  let at = mail.start;
  let attempt = 1;
  for (let turn = 0; turn < turnsMax; turn++) {
    if (decider.ended(state) && draw.chance(30)) attempt += 1;
    const count = draw.chance(15) ? 2 + draw.below(3) : 1;
    const envelopes = Array.from({ length: count }, () => {
      const fresh = turn === 0 ? mail.assign(agent) : happening(draw, state, agent, attempt);
      const made = said.length > 0 && draw.chance(12) ? said[draw.below(said.length)] : undefined;
      const envelope = made ?? fresh(state);
      said.push(envelope);
      return envelope;
    });
    const taken = takeTurn(decider, state, envelopes, at);
    state = taken.state;
    journal.push(...taken.events);
    watch({ ...taken, at });
    at += draw.below(200);
  }
  return journal;
};

/** Plainest first: what is waited for, answered plainly. */
const happening = (draw: Choices, state: RunState, agent: string, attempt: number): mail.Mail => {
  if (draw.chance(3)) return mail.cancels;
  if (draw.chance(8)) return mail.wakes;
  if (attempt > state.attempt || state.started === undefined || draw.chance(3))
    return mail.assign(agent, attempt);
  if (state.asked !== undefined) return fromModel(draw);
  const calls = state.group?.calls ?? [{ status: 'sent' }];
  const call = draw.below(calls.length + (draw.chance(5) ? 2 : 0));
  return calls[call]?.status === 'paused'
    ? mail.answers(call, draw.oneOf(['yes', '', null]))
    : mail.settles(call, outcomeOf(draw), undefined, draw.oneOf(['tool.settle', 'memory.settle']));
};

const fromModel = (draw: Choices): mail.Mail => {
  if (draw.chance(2)) return mail.modelStopped;
  if (draw.chance(5))
    return mail.modelFails(
      draw.oneOf(['unavailable', 'invalid', 'refused', 'overflow']),
      draw.oneOf([undefined, 0, 500]),
    );
  const calls = Array.from({ length: draw.below(5) }, () => randomCall(draw));
  const answer: Carried = { value: draw.below(9) };
  return mail.modelSays({
    text: draw.oneOf(['thinking', '', ' \n', 'x'.repeat(3_000)]),
    calls,
    ...(draw.chance(20) && { reasoning: { signature: 'abc' } }),
    ...(draw.chance(50) && { usage: { input_tokens: 5, output_tokens: null } }),
    ...(draw.chance(10) && { answer }),
  });
};

const randomCall = (draw: Choices): RepliedCall => {
  const name = draw.oneOf([
    'files.search',
    'files.write',
    'memory.write',
    'memory.query',
    'lab.measure',
    'answer',
    'plan.submit',
    'files.serach',
    '',
    'a\nb',
    'n'.repeat(300),
  ]);
  const input = draw.oneOf<Json>([{}, { text: 'a fact' }, { text: 7 }, 'no object', null, [1]]);
  return mail.toCall(name, input, {
    ...(draw.chance(5) && { problem: draw.oneOf(['not JSON', '']) }),
    ...(draw.chance(15) && { answer: { value: 1 } }),
  });
};

const outcomeOf = (draw: Choices): Outcome =>
  draw.oneOf([
    mail.done('three hits'),
    mail.done({ hits: 3 }),
    mail.done(null),
    mail.done('  '),
    mail.done([]),
    mail.failed('invalid', ''),
    mail.paused('really?', { type: 'string' }),
    mail.unknown('files.write', 'no answer came back'),
    mail.stopped,
  ]);
