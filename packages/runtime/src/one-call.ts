import type { Draft, Envelope, Fault, Key, Outcome, Result, Type } from '@foldmesh/envelope';
import { fault } from '@foldmesh/envelope';
import type { Verdict } from './answers.ts';
import type { Call } from './call.ts';
import { carryOut } from './claim.ts';
import type { InHand, Ran, Standing } from './work.ts';

/** A request that is one piece of work, like a tool call. */
export interface OneCall<T extends Type> {
  readonly unsafe: (envelope: Envelope<T>) => boolean;
  readonly label: (envelope: Envelope<T>) => string;
  readonly inlineBytesMax: number;
  readonly run: (envelope: Envelope<T>, call: Call) => Promise<Ran>;
  readonly settle: (envelope: Envelope<T>, outcome: Outcome) => Draft;
  readonly standing: (hand: InHand, key: Key, attempt: number) => Promise<Result<Standing>>;
}

/** Carries one request out under its own key, and turns what came of it into what the host has to do. */
export const oneCall =
  <T extends Type>(one: OneCall<T>) =>
  async (hand: InHand, envelope: Envelope<T>): Promise<Verdict> => {
    const { headers } = hand;
    const work = {
      type: envelope.type,
      key: headers.key,
      print: headers.print,
      attempt: headers.attempt,
      label: one.label(envelope),
      unsafe: one.unsafe(envelope),
      inlineBytesMax: one.inlineBytesMax,
    };
    const done = await carryOut(
      hand,
      work,
      () => one.standing(hand, headers.key, headers.attempt),
      (call) => one.run(envelope, call),
    );
    switch (done.kind) {
      case 'settled': {
        const { outcome } = done.stored;
        const draft = one.settle(envelope, outcome);
        if (done.strikes === 0) return { kind: 'answer', draft };
        const reason = outcome.kind === 'failed' ? outcome.fault.detail : 'struck out';
        return { kind: 'answer', draft, park: { reason, strikes: done.strikes } };
      }
      case 'reused': {
        // Both sides see it: the dead letter has what was asked, and whoever asked is told.
        const why = reusedFault(headers.key, done.label, work.label);
        const draft = one.settle(envelope, { kind: 'failed', fault: why });
        return { kind: 'answer', draft, park: { reason: why.detail, strikes: 0 } };
      }
      default:
        return done;
    }
  };

/** Names both sides of a reused key. */
export const reusedFault = (key: string, first: string, now: string): Fault =>
  fault('invalid', `key ${key} reused with different content: first ${first}, now ${now}`, {
    source: 'key_reused',
  });
