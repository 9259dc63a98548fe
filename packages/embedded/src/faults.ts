import { invariant } from '@foldmesh/envelope';
import type { Random } from '@foldmesh/ports';

/** How often each thing goes wrong that goes wrong with real brokers and stores: rates from 0 (never) to 1 (always). */
export interface Faults {
  /** A delivered message is delivered once more at once, although its holder still holds it. */
  readonly repeat: number;
  /** A published message becomes visible only later, by up to `delayMsMax`. */
  readonly delay: number;
  /** A waiting message is passed over by all that wait behind it. */
  readonly reorder: number;
  /** An ack is answered and forgotten, or it counts and is answered `unanswered`. */
  readonly loseAck: number;
  /** An ack is answered at once and counts only later, by up to `lateMsMax`: it deletes the message under whoever holds it by then. */
  readonly lateAck: number;
  /** A `working` is answered at once and counts only later: it keeps the message from whoever should have it by then. */
  readonly lateWorking: number;
  /** A publish is stored and answered `unanswered`. */
  readonly losePublishReply: number;
  /** The delay of a nak is forgotten: the message comes back at once, or only after the ack wait. */
  readonly forgetDelay: number;
  /** A core message reaches nobody. */
  readonly loseCast: number;
  /** An append is stored and answered `conflict`, as newer servers do to the retry of one's own. */
  readonly conflictOwn: number;
  /** An append is stored and answered `unanswered`. */
  readonly loseAppendReply: number;
  /** An inbox record vanishes just before it is asked for; the generation mark stays, as when a replica takes over. */
  readonly loseRecord: number;
  /** A claim is made and answered `unanswered`. */
  readonly loseClaimReply: number;
  /** A renewal, a start, an outcome or a release is noted and answered `unanswered`. */
  readonly loseGripReply: number;
  /** A list of the index shows what was there up to `staleMsMax` ago. */
  readonly staleIndex: number;
  /** A publish or an append finds its stream full. */
  readonly full: number;
  /** A port call does nothing and answers `unavailable`. */
  readonly unavailable: number;
  /** A port call takes effect, and answers, later by up to `slowMsMax` each. */
  readonly slow: number;
}

export type FaultName = keyof Faults;

/** How often each fault was injected. */
export type FaultCounts = Readonly<Record<FaultName, number>>;

/** Decides where a fault falls. Nothing is drawn for a rate of 0, so that a fault added later moves no old seed. */
export interface Dice {
  hits(name: FaultName): boolean;
  coin(): boolean;
  /** Whole milliseconds from 1 to `msMax`. */
  wait(msMax: number): number;
  counts(): FaultCounts;
  /** From here on nothing goes wrong any more. */
  heal(): void;
}

const never: Faults = {
  repeat: 0,
  delay: 0,
  reorder: 0,
  loseAck: 0,
  lateAck: 0,
  lateWorking: 0,
  losePublishReply: 0,
  forgetDelay: 0,
  loseCast: 0,
  conflictOwn: 0,
  loseAppendReply: 0,
  loseRecord: 0,
  loseClaimReply: 0,
  loseGripReply: 0,
  staleIndex: 0,
  full: 0,
  unavailable: 0,
  slow: 0,
};

export const dice = (chosen: Partial<Faults>, random: Random): Dice => {
  let rates: Faults = { ...never, ...chosen };
  const counts: Record<FaultName, number> = { ...never };
  for (const [name, rate] of Object.entries(rates))
    invariant(rate >= 0 && rate <= 1, `faults: the rate of ${name} must be from 0 to 1`);
  return {
    hits: (name) => {
      if (rates[name] === 0 || random.float() >= rates[name]) return false;
      counts[name] += 1;
      return true;
    },
    coin: () => random.float() < 0.5,
    wait: (msMax) => 1 + Math.floor(random.float() * msMax),
    counts: () => ({ ...counts }),
    heal() {
      rates = never;
    },
  };
};
