import { canonicalJson } from '@foldmesh/envelope';
import type { Held, RecordId } from '@foldmesh/ports';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { type InboxBench, keepUntil } from './inbox-hands.ts';
import { insist, property, type Rig } from './rig.ts';
import { claimOf, doneWith } from './samples.ts';

/** `by` is one of three hosts; each acts with the last token it was given, however old that is. */
type Step =
  | { readonly act: 'claim' | 'start' | 'complete' | 'renew' | 'try' | 'hand-back'; readonly by: number }
  | { readonly act: 'wait'; readonly leases: number };

const by = fc.integer({ min: 0, max: 2 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant('claim' as const), by }) },
    {
      weight: 4,
      arbitrary: fc.record({ act: fc.constantFrom('start', 'complete', 'renew', 'try', 'hand-back'), by }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ act: fc.constant('wait' as const), leases: fc.constantFrom(0.3, 0.9, 1.1) }),
    },
  ),
  { maxLength: 40 },
);

/** In any order of what three hosts do to one record: one holder, growing tokens, one outcome. */
export const interleaving = (rig: Rig<'inbox'>): void =>
  property(
    rig,
    'no two hold it at once, tokens grow, and an outcome never changes',
    steps,
    async (bench, history) => {
      const witness = witnessOf(bench);
      for (const step of history) {
        if (step.act === 'wait') await bench.advance(step.leases * bench.leaseMs);
        else await act(bench, witness, step.act, step.by);
      }
    },
  );

/** What an observer outside the store may conclude from its answers. */
const witnessOf = (bench: InboxBench) => {
  const id = bench.make.record(1);
  const tokens = new Map<number, Held>();
  const holds = new Map<number, number>();
  let lastToken = 0;
  let outcome: string | undefined;
  return {
    id,
    heldBy: (host: number): Held => tokens.get(host) ?? { ...id, token: 0 },
    won: (host: number, token: number, leaseUntil: number): void => {
      expect(outcome).toBeUndefined();
      const own = tokens.get(host)?.token === token;
      if (!own) expect(token).toBeGreaterThan(lastToken);
      for (const [other, until] of holds)
        if (other !== token) expect(until).toBeLessThanOrEqual(bench.ports.clock.monotonic() + bench.slackMs);
      lastToken = Math.max(lastToken, token);
      tokens.set(host, { ...id, token });
      holds.set(token, leaseUntil);
    },
    /** Only the last token may ever be told that something is its own. */
    kept: (token: number): void => expect(token).toBe(lastToken),
    renewed: (token: number, leaseUntil: number): void => {
      if (outcome === undefined) holds.set(token, leaseUntil);
    },
    gaveUp: (token: number): void => {
      holds.delete(token);
    },
    settled: (stored: unknown): void => {
      const text = canonicalJson(stored);
      outcome ??= text;
      expect(text).toBe(outcome);
    },
    isSettled: (): boolean => outcome !== undefined,
  };
};

type Witness = ReturnType<typeof witnessOf>;
type Act = Exclude<Step['act'], 'wait'>;

const act = async (bench: InboxBench, witness: Witness, what: Act, host: number): Promise<void> => {
  const { inbox, clock } = bench.ports;
  const { id } = witness;
  if (what === 'claim') return claimAs(bench, witness, id, host);
  const held = witness.heldBy(host);
  const stored = doneWith(`by ${host} with ${held.token}`);
  const ask = {
    start: () => inbox.start(held),
    complete: () => inbox.complete(held, stored, keepUntil(bench, 1_000)),
    renew: () => inbox.renew(held, bench.leaseMs),
    try: () => inbox.release(held, 'try'),
    'hand-back': () => inbox.release(held, 'nothing'),
  }[what];
  // From before the call: the store cannot have counted the lease from an earlier moment than that.
  const before = clock.monotonic();
  const grip = await insist(bench, ask);
  if (grip === 'lost') return;
  witness.kept(held.token);
  if (what === 'renew') witness.renewed(held.token, before + bench.leaseMs);
  if (what === 'try' || what === 'hand-back') witness.gaveUp(held.token);
  if (what !== 'complete') return;
  const kept = (await insist(bench, () => inbox.peek(id)))?.stored;
  if (!witness.isSettled()) expect(kept).toEqual(stored);
  witness.settled(kept);
};

const claimAs = async (bench: InboxBench, witness: Witness, id: RecordId, host: number): Promise<void> => {
  const { inbox, clock } = bench.ports;
  const before = clock.monotonic();
  const answer = await insist(bench, () => inbox.claim(claimOf(id, `host ${host}`, bench.leaseMs)));
  if (answer.kind === 'won') witness.won(host, answer.token, before + bench.leaseMs);
  else if (answer.kind === 'settled') witness.settled(answer.outcome);
  else expect(answer.kind).not.toBe('reused');
};
