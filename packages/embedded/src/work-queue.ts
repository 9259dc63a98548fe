import { invariant } from '@foldmesh/envelope';
import type { Clock } from '@foldmesh/ports';
import { alarm } from './alarm.ts';
import { type Chain, chain, type Link } from './chain.ts';
import type { Stand } from './stand.ts';
import { type Message, type WaitingRoom, waitingRoom } from './waiting-room.ts';

/** One queue of a stream, shared by all who pull from it. Nothing here asks who holds a message: that is the point. */
export interface WorkQueue {
  /** Puts a new message in; with `delayMs` it becomes visible only then. */
  add(message: Message, delayMs: number): void;
  /** Takes a message out for good. */
  remove(message: Message): void;
  /** Lets it be delivered again after `delayMs`. */
  giveBack(message: Message, delayMs: number): void;
  /** Keeps it from being delivered again for another ack wait. */
  extend(message: Message): void;
  /** Takes up to `max` as soon as there is one, or none when one of `signals` aborts. */
  pull(max: number, signals: readonly AbortSignal[]): Promise<readonly Taken[]>;
  /** Nobody is given anything for `ms`, as when an operator pauses a consumer; 0 lets it go on. */
  pause(ms: number): void;
  counts(): Counts;
}

export interface Counts {
  readonly waiting: number;
  /** Delivered before: whether it is held, kept back, or waits again is nobody's business. */
  readonly in_hand: number;
  readonly pulls: number;
  /** Milliseconds for which it is paused yet; 0 where it is not. */
  readonly pausedMs: number;
}

export interface Taken {
  readonly message: Message;
  readonly redelivered: boolean;
}

interface Pull {
  readonly max: number;
  readonly taken: Taken[];
  readonly leave: () => void;
  place: Link<Pull> | undefined;
}

/**
 * All pulls that wait are dealt to in turn, one message each, so that a hungry one starves nobody. A sleeper exists only
 * while somebody waits and something is pending.
 */
export const workQueue = (stand: Stand): WorkQueue => {
  const { clock, settings } = stand;
  const room = waitingRoom();
  const pulls = chain<Pull>();
  let size = 0;
  let delivered = 0;
  const rest = pauseOn(clock);
  let dealing = false;

  /** A moment later, never on the stack of a publisher, and to all who came in the same breath. */
  const dealSoon = (): void => {
    if (dealing || pulls.size() === 0) return;
    dealing = true;
    queueMicrotask(deal);
  };

  const timer = alarm(clock, dealSoon);

  const arm = (): void => {
    const due = room.waiting() > 0 && rest.leftMs() > 0 ? rest.until() : room.nextDue();
    if (due === undefined || pulls.size() === 0) timer.clear();
    else timer.set(Math.max(due, rest.until()));
  };

  const admit = (message: Message): void => {
    room.admit(message);
    dealSoon();
  };

  const keepBack = (message: Message, ms: number): void => {
    room.keepBack(message, clock.monotonic() + ms);
    arm();
  };

  const deal = (): void => {
    room.admitDue(clock.monotonic());
    const dealt = rest.leftMs() > 0 ? undefined : dealOut(room, pulls, stand);
    delivered += dealt?.fresh ?? 0;
    for (const pull of dealt?.served ?? []) pull.leave();
    dealing = false;
    for (const message of dealt?.repeated ?? []) admit(message);
    arm();
  };

  return {
    add: (message, delayMs) => {
      size += 1;
      if (delayMs > 0) keepBack(message, delayMs);
      else admit(message);
    },
    remove: (message) => {
      if (message.gone) return;
      message.gone = true;
      room.remove(message);
      size -= 1;
      if (message.delivered) delivered -= 1;
      message.onGone();
    },
    giveBack: (message, delayMs) => {
      if (delayMs > 0 && !message.gone) keepBack(message, delayMs);
      else if (message.pending) admit(message);
    },
    extend: (message) => {
      if (message.pending) keepBack(message, settings.ackWaitMs);
    },
    pull: (max, signals) =>
      waitIn(max, signals, (pull) => {
        pull.place = pulls.push(pull);
        dealSoon();
        return () => {
          if (pull.place) pulls.remove(pull.place);
          if (pulls.size() === 0) timer.clear();
        };
      }),
    pause: (ms) => {
      rest.set(ms);
      dealSoon();
    },
    counts: () => ({
      waiting: size - delivered,
      in_hand: delivered,
      pulls: pulls.size(),
      pausedMs: rest.leftMs(),
    }),
  };
};

/** One message each in turn, for as long as there is one: who got something, what comes once more, how many were new. */
const dealOut = (room: WaitingRoom, pulls: Chain<Pull>, { clock, dice, settings }: Stand) => {
  const served = new Set<Pull>();
  const repeated: Message[] = [];
  let fresh = 0;
  for (let pull = pulls.first(); pull && room.waiting() > 0; pull = pulls.first()) {
    const message = room.take(room.waiting() > 1 && dice.hits('reorder'));
    invariant(message, 'R1: whoever waits can be taken');
    pull.taken.push({ message, redelivered: message.delivered });
    served.add(pull);
    if (!message.delivered) fresh += 1;
    message.delivered = true;
    room.keepBack(message, clock.monotonic() + settings.ackWaitMs);
    if (dice.hits('repeat')) repeated.push(message);
    pulls.shift();
    if (pull.taken.length < pull.max) pull.place = pulls.push(pull);
  }
  return { served, repeated, fresh };
};

/** Until when nothing is dealt; the past where it never was paused. */
const pauseOn = (clock: Clock) => {
  let until = Number.NEGATIVE_INFINITY;
  return {
    set: (ms: number): void => {
      until = clock.monotonic() + ms;
    },
    until: () => until,
    leftMs: () => Math.max(0, until - clock.monotonic()),
  };
};

/** One pull's stay: it ends when it was dealt to, or when one of its signals aborts. */
const waitIn = (
  max: number,
  signals: readonly AbortSignal[],
  enter: (pull: Pull) => () => void,
): Promise<readonly Taken[]> =>
  new Promise((resolve) => {
    if (signals.some((signal) => signal.aborted)) return resolve([]);
    const leave = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', leave);
      exit();
      resolve(pull.taken);
    };
    const pull: Pull = { max, taken: [], leave, place: undefined };
    for (const signal of signals) signal.addEventListener('abort', leave, { once: true });
    const exit = enter(pull);
  });
