import type { RawHeaders } from '@foldmesh/envelope';
import { type Chain, chain, type Link } from './chain.ts';
import { type Due, dueHeap } from './due-heap.ts';

/** A stored message. */
export interface Message {
  readonly subject: string;
  readonly headers: RawHeaders;
  readonly body: Uint8Array;
  /** Called once, when it leaves its stream for good. */
  readonly onGone: () => void;
  delivered: boolean;
  gone: boolean;
  waiting: { readonly line: Chain<Message>; readonly link: Link<Message> } | undefined;
  pending: Due<Message> | undefined;
}

/**
 * Where the messages of one queue are.
 *
 * R1 A message is in one place: it waits to be taken, or it is pending (held by somebody, or kept back for a time: a
 *    broker knows no difference), or it is nowhere.
 * R2 What was delivered before is taken ahead of what is new.
 */
export interface WaitingRoom {
  /** Lets it be taken now. */
  admit(message: Message): void;
  /** Lets it be taken from `at` on. */
  keepBack(message: Message, at: number): void;
  remove(message: Message): void;
  /** Admits all that is due at `now`. */
  admitDue(now: number): void;
  /** The next one; with `passOver` the one behind it, if there is one, and the next goes to the end. */
  take(passOver: boolean): Message | undefined;
  waiting(): number;
  /** When the first pending one is due. */
  nextDue(): number | undefined;
}

export const waitingRoom = (): WaitingRoom => {
  const again = chain<Message>();
  const fresh = chain<Message>();
  const pending = dueHeap<Message>();

  const remove = (message: Message): void => {
    if (message.waiting) message.waiting.line.remove(message.waiting.link);
    if (message.pending) pending.remove(message.pending);
    message.waiting = undefined;
    message.pending = undefined;
  };

  const join = (line: Chain<Message>, message: Message): void => {
    remove(message);
    message.waiting = { line, link: line.push(message) };
  };

  const admit = (message: Message): void => join(message.delivered ? again : fresh, message);

  const first = (): Message | undefined => again.first() ?? fresh.first();

  return {
    admit,
    remove,
    keepBack: (message, at) => {
      remove(message);
      message.pending = pending.push(at, message);
    },
    admitDue: (now) => {
      for (let due = pending.popDue(now); due; due = pending.popDue(now)) admit(due);
    },
    take: (passOver) => {
      const next = first();
      if (next && passOver) join(fresh, next);
      const taken = first();
      if (taken) remove(taken);
      return taken;
    },
    waiting: () => again.size() + fresh.size(),
    nextDue: () => pending.peek()?.at,
  };
};
