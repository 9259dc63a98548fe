import { isDeepStrictEqual } from 'node:util';
import { choices, law, lawful } from '@foldmesh/ports/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runDecider } from './decider.ts';
import type { RunEvent } from './events.ts';
import { runStandingOf } from './standing.ts';
import { testAgents } from './testing/agents.ts';
import { randomRun } from './testing/random-run.ts';

const tapes = fc.noBias(fc.array(fc.nat(9_999), { maxLength: 1_500, size: 'max' }));
/** To see a failing tape shrunk, take `endOnFailure` off: that may take minutes. */
const runs = { numRuns: 150, seed: 20_260, endOnFailure: true };
const decider = runDecider(testAgents());

test('a repeat says nothing, what follows ends, and neither decide, follow nor next changes the state', {
  timeout: 60_000,
}, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(tapes, (tape) => {
      const proved = lawful(decider, isDeepStrictEqual);
      const journal = randomRun(proved, choices(tape), ({ state, at }) => {
        law(proved.follow(state, at).length === 0, 'follow owes something at its end');
        proved.next(state);
      });
      for (const event of journal) seen.add(event.kind === 'run-failed' ? event.end_reason : event.kind);
    }),
    runs,
  );
  // A law that is proved of a run to which nothing happens is proved of nothing.
  expect([...seen].toSorted()).toEqual([
    'answer-given',
    'call-paused',
    'call-returned',
    'calls-sent',
    'empty',
    'failed',
    'invalid',
    'model-asked',
    'model-replied',
    'refused',
    'run-cancelled',
    'run-completed',
    'run-reopened',
    'run-started',
    'turn_limit',
  ]);
});

/** What is open as the events tell of it, worked out without the state: what was asked less what was answered. */
const books = () => {
  let position = 0;
  let turn = 0;
  let open = new Map<string, number>();
  return {
    add(event: RunEvent): void {
      if (event.kind === 'model-asked') open.set(`model.call ${position}/0`, position);
      if (event.kind === 'model-replied') {
        open = new Map();
        turn = position;
      }
      if (event.kind === 'calls-sent')
        for (const call of event.calls) open.set(`call ${turn}/${call}`, position);
      if ('call' in event) {
        open.delete(`call ${turn}/${event.call}`);
        open.delete(`input.ask ${turn}/${event.call}`);
      }
      if (event.kind === 'call-paused') open.set(`input.ask ${turn}/${event.call}`, position);
      if (/^run-(completed|failed|cancelled)$/.test(event.kind))
        open = new Map([['task.settle 3/0', position]]);
      if (event.kind === 'run-reopened' || event.kind === 'run-started') open = new Map();
      position += 1;
    },
    open: () => [...open].toSorted(),
  };
};

test('what is in flight is what all events asked, less what was answered', { timeout: 60_000 }, () => {
  let most = 0;
  fc.assert(
    fc.property(tapes, (tape) => {
      const ledger = books();
      randomRun(decider, choices(tape), ({ state, events }) => {
        for (const event of events) ledger.add(event);
        const effects = [...decider.next(state)];
        most = Math.max(most, effects.length);
        const told = effects.map(({ draft, asked }) => {
          const type = /^(tool\.call|memory\.)/.test(draft.type) ? 'call' : draft.type;
          return [`${type} ${draft.key.split('/').slice(-2).join('/')}`, asked] as const;
        });
        expect(told.toSorted()).toEqual(ledger.open());
        const from = Math.floor(state.position / 2);
        expect([...decider.next(state, from)]).toEqual(effects.filter(({ asked }) => asked >= from));
        for (const { draft, asked } of effects)
          if (/\.call$|^memory/.test(draft.type))
            expect(runStandingOf(state, draft.key, draft.attempt)).toEqual({ kind: 'open', asked });
      });
    }),
    runs,
  );
  expect(most).toBeGreaterThan(2);
});

test('M1, M10: a run ends once per attempt, and one that has not ended waits for something', {
  timeout: 60_000,
}, () => {
  let ends = 0;
  fc.assert(
    fc.property(tapes, (tape) => {
      let open = false;
      randomRun(decider, choices(tape), ({ state, events }) => {
        for (const { kind } of events) {
          if (kind === 'run-started' || kind === 'run-reopened') open = true;
          if (!/^run-(completed|failed|cancelled)$/.test(kind)) continue;
          law(open, 'it ended twice');
          open = false;
          ends += 1;
        }
        if (state.started === undefined) return;
        law(decider.ended(state) === !open, 'state and events disagree on the end');
        const types = [...decider.next(state)].map(({ draft }) => draft.type);
        law(types.length > 0, 'nothing is in flight', state);
        const dated = types.some((type) => type.startsWith('memory') || type === 'tool.call');
        law(
          (decider.wakeAt(state) !== undefined) === dated,
          'calls under way have a deadline, all else none',
        );
      });
    }),
    runs,
  );
  expect(ends).toBeGreaterThan(60);
});
