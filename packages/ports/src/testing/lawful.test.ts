import { isDeepStrictEqual } from 'node:util';
import type { Envelope } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import type { Decider } from '../decider.ts';
import { lawful } from './lawful.ts';
import { takeTurn } from './take-turn.ts';

interface Seen {
  keys: string[];
}

type Toy = Decider<Seen, string, 'job.cancel'>;

/** Remembers each key that it was sent, once. */
const toy: Toy = {
  fold: 1,
  read: (stored) => String(stored),
  initial: () => ({ keys: [] }),
  evolve: (state, event) => {
    state.keys.push(event);
    return state;
  },
  decide: (state, { idempotency_key: key }) => (state.keys.includes(key) ? [] : [key]),
  follow: (state) => (state.keys.length === 1 ? ['a second one, owed'] : []),
  next: () => [],
  wakeAt: () => undefined,
  ended: () => false,
};

const mail = { idempotency_key: 'one' } as unknown as Envelope<'job.cancel'>; // all that the toy reads of it

const tried = (broken: Partial<Toy>) => () =>
  takeTurn(lawful({ ...toy, ...broken }, isDeepStrictEqual), toy.initial(), [mail], 1);

describe('a decider under the laws', () => {
  it('that keeps them says what it says by itself', () => {
    expect(tried({})()).toEqual({
      state: { keys: ['one', 'a second one, owed'] },
      events: ['one', 'a second one, owed'],
    });
  });

  let calls = 0;
  it.each<[string, Partial<Toy>, string]>([
    [
      'says a repeat again',
      { decide: (_, { idempotency_key: key }) => [key] },
      'a repeat says something new',
    ],
    ['knows more than its state', { decide: () => [String(calls++)] }, 'it depends on more than the state'],
    ['reads another event than was stored', { read: () => 'another' }, 'an event is read back as another'],
    [
      'keeps what the journal cannot',
      { evolve: (state, event) => Object.assign(state, { keys: [...state.keys, event], lost: undefined }) },
      'the replayed state differs',
    ],
  ])('that %s is caught', (_, broken, says) => {
    expect(tried(broken)).toThrow(says);
  });

  it('that asks for other effects each time is caught', () => {
    let asked = 0;
    const next: Toy['next'] = () => [{ draft: {} as never, asked: asked++, asked_at: 0 }]; // nobody reads the draft
    expect(() => lawful({ ...toy, next }, isDeepStrictEqual).next(toy.initial())).toThrow(
      'next is not of the state',
    );
  });
});
