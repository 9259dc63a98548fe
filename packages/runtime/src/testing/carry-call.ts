import { fail, fault, type Json, type Outcome, ok } from '@foldmesh/envelope';
import { carryOut } from '../claim.ts';
import type { Done, InHand, Ran, Run, Standing, Work } from '../work.ts';
import { fakeHost, handOf } from './fake-host.ts';
import type { FakePorts } from './fake-ports.ts';
import { type Delivered, deliveryOf, keyAt, toolCall, type Which } from './messages.ts';

export const away = fail(fault('unavailable', 'away'));

/** What is special about one call; a fresh one that works, of a class that may be asked twice, where nothing is said. */
export interface Case {
  readonly unsafe?: boolean;
  readonly which?: Which;
  readonly how?: Delivered;
  /** What the caller's journal says; it cannot be read where nothing is said. */
  readonly standing?: Standing;
  readonly run?: Run;
  readonly inlineBytesMax?: number;
  /** Sees the hand before anything happens, and may put another in its place. */
  readonly hold?: (hand: InHand) => InHand;
}

/** What came of it, how often it was run, and how often the journal was asked. */
export interface Carried {
  readonly done: Done;
  readonly runs: number;
  readonly asked: number;
}

export const done = (output: Json = 'result'): Ran => ({ kind: 'done', output });

export const workOf = ({ headers }: InHand, { unsafe = false, inlineBytesMax = 1_000 }: Case = {}): Work => ({
  type: 'tool.call',
  key: keyAt(1),
  print: headers.print,
  attempt: headers.attempt,
  label: 'test.tool 1',
  unsafe,
  inlineBytesMax,
});

/** Carries one call out, with time enough for whatever waits. */
export const carry = async (fake: FakePorts, given: Case = {}): Promise<Carried> => {
  const { which, how, standing, run = async () => done(), hold = (hand) => hand } = given;
  const delivery = deliveryOf(toolCall(1, fake.clock.now(), which), fake.clock, how);
  const hand = hold(handOf(fakeHost(fake), delivery));
  let runs = 0;
  let asked = 0;
  const carried = carryOut(
    hand,
    workOf(hand, given),
    async () => {
      asked += 1;
      return standing === undefined ? away : ok(standing);
    },
    (call) => {
      runs += 1;
      return run(call);
    },
  );
  await fake.clock.pass(20_000);
  await hand.hold[Symbol.asyncDispose]();
  return { done: await carried, runs, asked };
};

export const outcomeOf = ({ done: said }: Carried): Outcome | Done =>
  said.kind === 'settled' ? said.stored.outcome : said;
