import type { InHand } from './work.ts';

/** What a handler host has in hand, so that the fast half of a cancel finds it. */
export interface OpenHands {
  add(hand: InHand): void;
  remove(hand: InHand): void;
  /** Aborts all that is worked on for the job that a cancel's subject ends in. */
  cancel(subject: string): void;
}

export const openHands = (): OpenHands => {
  const hands = new Set<InHand>();
  return {
    add: (hand) => hands.add(hand),
    remove: (hand) => hands.delete(hand),
    cancel(subject) {
      const job = subject.split('.').slice(-2).join('/');
      for (const { headers, hold } of hands) if (headers.key.startsWith(`${job}/`)) hold.abort('cancelled');
    },
  };
};
