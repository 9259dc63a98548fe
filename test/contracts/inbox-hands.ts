import { invariant, type Outcome } from '@foldmesh/envelope';
import type { Claim, ClaimRequest, Held, RecordId, Stored } from '@foldmesh/ports';
import { type Bench, got } from './rig.ts';
import { claimOf } from './samples.ts';

export type InboxBench = Bench<'inbox'>;

export type Won = Extract<Claim, { kind: 'won' }>;

export const ask = async ({ ports }: InboxBench, request: ClaimRequest): Promise<Claim> =>
  got(await ports.inbox.claim(request));

/** Claims for `owner` with the rig's lease. */
export const claim = (bench: InboxBench, id: RecordId, owner: string, asked?: string): Promise<Claim> =>
  ask(bench, claimOf(id, owner, bench.leaseMs, asked));

/** A claim that must be won. */
export const win = async (
  bench: InboxBench,
  id: RecordId,
  owner: string,
): Promise<Won & { readonly held: Held }> => {
  const answer = await claim(bench, id, owner);
  invariant(answer.kind === 'won', `the claim of ${owner} was answered ${answer.kind}`);
  return { ...answer, held: { ...id, token: answer.token } };
};

/** Lets the lease of the last claim or renewal run out. */
export const lapse = (bench: InboxBench): Promise<void> => bench.advance(bench.leaseMs + bench.slackMs);

/** Until when tests keep what must not vanish under them, and until when the store may forget it. */
export const keepUntil = (bench: InboxBench, leases = 100): number =>
  bench.ports.clock.now() + leases * bench.leaseMs;

/** Lets time pass until a moment of the clock; none where it is over already. */
export const advanceTo = (bench: InboxBench, at: number): Promise<void> =>
  bench.advance(Math.max(0, at - bench.ports.clock.now()));

/** The outcome that anybody may see, without claiming. */
export const storedIn = async ({ ports }: InboxBench, id: RecordId): Promise<Stored | undefined> =>
  got(await ports.inbox.peek(id))?.stored;

export const outcomeOf = (answer: Claim): Outcome | undefined =>
  answer.kind === 'settled' ? answer.outcome.outcome : undefined;
