import { invariant } from '@foldmesh/envelope';
import type { Decider, Delivery } from '@foldmesh/ports';
import { openDelivery } from '../message.ts';
import type { Letter } from '../turn.ts';
import type { FakePorts } from './fake-ports.ts';
import { keyAt, pool } from './messages.ts';

/** Remembers words, each once, and asks a tool about each. */
export interface Toy {
  readonly words: string[];
}

/**
 * A command's reason is the word. `poison` breaks `decide`; `sour` breaks `follow` from then on; after `first` the state
 * owes `followed`.
 */
export const toyDecider: Decider<Toy, string> = {
  fold: 1,
  read: (stored) => stored as string, // as it was written
  initial: () => ({ words: [] }),
  evolve(state, event) {
    state.words.push(event);
    return state;
  },
  decide(state, envelope) {
    const word = envelope.type === 'job.cancel' ? (envelope.payload.reason ?? '') : '';
    invariant(word !== 'poison', 'M2: poison');
    return word === '' || state.words.includes(word) ? [] : [word];
  },
  follow(state) {
    invariant(!state.words.includes('sour'), 'M2: sour');
    return state.words.includes('first') && !state.words.includes('followed') ? ['followed'] : [];
  },
  *next(state, from = 0) {
    for (const [asked, word] of state.words.entries())
      if (asked >= from)
        yield {
          draft: {
            type: 'tool.call',
            to: { service: 'tool-gateway', pool },
            key: keyAt(asked),
            attempt: 1,
            payload: { tool: 'test.tool', input: word },
          },
          asked,
          asked_at: 1_800_000_000_000,
        };
  },
  wakeAt: () => undefined,
  ended: (state) => state.words.includes('end'),
};

export const letterOf = async ({ ports }: FakePorts, delivery: Delivery): Promise<Letter> => {
  const opened = await openDelivery(ports, delivery);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return { delivery, headers: opened.headers, envelope: opened.envelope };
};
