import type { Amounts, JobId, Key, Result, TenantId } from '@foldmesh/envelope';

/** A budget of a job, or of something below it: what it spends counts for ever. */
export interface BudgetId {
  readonly tenant: TenantId;
  readonly job: JobId;
  /** `_job`, or what below it has limits of its own. */
  readonly name: string;
}

/** What a reservation draws on; a unit without a limit is counted and not limited. */
export type Account =
  | { readonly kind: 'budget'; readonly budget: BudgetId; readonly limits: Amounts }
  /**
   * A provider's, shared by all who name it. It holds `limits` and refills evenly, a whole one in `windowMs`; units
   * without a limit are not counted.
   */
  | { readonly kind: 'quota'; readonly name: string; readonly limits: Amounts; readonly windowMs: number };

/** One try of one piece of work; its reservation is made once and ended once, however often either is said. */
export interface TryId {
  readonly key: Key;
  readonly try: number;
}

export interface Reservation extends TryId {
  readonly accounts: readonly Account[];
  /** At most what the try can take: a budget is overshot only by what it takes beyond. */
  readonly amounts: Amounts;
  /** By when it should have ended; after that its holder is taken for vanished. */
  readonly leaseMs: number;
}

/** The answer to a reservation; all but `granted` took nothing. */
export type Reserved =
  | { readonly kind: 'granted' }
  /** This try has ended already, settled or released. */
  | { readonly kind: 'ended' }
  /** What is left of this unit is too little, and waiting does not help. `left` is below 0 where it is overshot. */
  | { readonly kind: 'exhausted'; readonly account: string; readonly unit: string; readonly left: number }
  /** A quota's turn comes in `waitMs`, if nobody is faster. */
  | { readonly kind: 'wait'; readonly account: string; readonly waitMs: number }
  /** The ledger does not know this budget, or not any more: rebuild it from the journal, and reserve again. */
  | { readonly kind: 'absent'; readonly account: string };

/** `counted`: now. `already`: it had ended, nothing was changed. `absent`: forgotten; what it took is the journal's to tell. */
export type Ended = 'counted' | 'already' | 'absent';

/** What a budget has come to. `held` is reserved; `estimated` is reserved by tries whose lease lapsed, and counts. */
export interface Balance {
  readonly spent: Amounts;
  readonly held: Amounts;
  readonly estimated: Amounts;
}

/**
 * Reserves before a call, settles after it; by the store's own clock. The sum in the journal is the truth: a ledger that
 * has forgotten says so, and is rebuilt from it. A budget, and the tries of its job, are kept for as long as anything is
 * done with them and a day more.
 *
 * L1 All or nothing: no account is drawn on unless every one has enough.
 * L2 A try counts once: reserving, settling and releasing again change nothing.
 * L3 A reservation counts until it has ended; when its lease lapses it is marked as estimated, and counts on.
 * L4 A late settle corrects an estimate once.
 *
 * Accounts of one reservation must lie on one node, and a quota belongs to no job: where a store is spread over nodes,
 * its adapter refuses to start.
 */
export interface Ledger {
  reserve(reservation: Reservation): Promise<Result<Reserved>>;
  /** What it really took, which may be more than was reserved. */
  settle(id: TryId, amounts: Amounts): Promise<Result<Ended>>;
  /** It took nothing. */
  release(id: TryId): Promise<Result<Ended>>;
  /**
   * Opens a budget at the journal's sum (estimates included), or raises a known one to at least that: what was settled
   * here and is not in the journal yet is not forgotten, and doing it again changes nothing.
   */
  rebuild(budget: BudgetId, spent: Amounts): Promise<Result<void>>;
  /** `undefined` where the ledger does not know the budget. */
  balance(budget: BudgetId): Promise<Result<Balance | undefined>>;
}
