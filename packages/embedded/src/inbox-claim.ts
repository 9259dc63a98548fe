import type { Claim, ClaimRequest, Stored } from '@foldmesh/ports';
import type { Hold, InboxRecord } from './inbox-record.ts';
import { type InboxShelf, recordName } from './inbox-shelf.ts';
import { copyJson, type Stand } from './stand.ts';

/**
 * The one transition that many contend for.
 *
 * I1 A token is given once and is larger than all before it, in every life of the store.
 * I2 While a lease runs, nobody else gets the record.
 * I3 What was started and lapsed is never run again: its outcome is unknown.
 * I4 A stored outcome answers before anything else is asked, the job's cancel too: last words count.
 */
export const claimIn = (
  { clock, settings, watch }: Stand,
  shelf: InboxShelf,
): ((request: ClaimRequest) => Claim) => {
  let tokens = 0;

  const keep = (record: InboxRecord): void => shelf.keep(record, clock.now() + settings.unfinishedKeepMs);

  const win = (record: InboxRecord, hold: Hold): Claim => {
    record.standing = hold;
    keep(record);
    return {
      kind: 'won',
      token: hold.token,
      strikes: record.strikes,
      tries: record.tries,
      fresh: hold.fresh,
    };
  };

  const take = (record: InboxRecord, { owner, leaseMs }: ClaimRequest, fresh: boolean): Claim => {
    tokens += 1;
    return win(record, {
      status: 'claimed',
      token: tokens,
      owner,
      fresh,
      leaseUntil: clock.monotonic() + leaseMs,
    });
  };

  const contend = (record: InboxRecord, hold: Hold, request: ClaimRequest): Claim => {
    if (hold.status === 'claimed' && hold.owner === request.owner)
      return win(record, { ...hold, leaseUntil: clock.monotonic() + request.leaseMs });
    const leaseLeftMs = Math.ceil(hold.leaseUntil - clock.monotonic());
    if (leaseLeftMs > 0) return { kind: 'held', leaseLeftMs };
    record.strikes += 1;
    watch.strike(request);
    if (record.strikes < settings.strikesMax) return take(record, request, false);
    record.standing = { status: 'struck' };
    keep(record);
    return { kind: 'struck', strikes: record.strikes };
  };

  return (request) => {
    const record = shelf.find(request);
    if (record && record.print !== request.print) return { kind: 'reused', label: record.label };
    if (record && hasLapsed(record.standing, clock.monotonic(), 'started')) {
      record.standing = { status: 'settled', token: undefined, stored: unknownOf(record) };
      keep(record);
    }
    if (record?.standing.status === 'settled')
      return { kind: 'settled', outcome: copyJson(record.standing.stored) };
    if (shelf.isHalted(request)) return { kind: 'halted' };
    if (record === undefined) return take(recordOf(request), request, true);
    if (record.standing.status === 'struck') return { kind: 'struck', strikes: record.strikes };
    if (record.standing.status === 'released') return take(record, request, false);
    return contend(record, record.standing, request);
  };
};

const recordOf = (request: ClaimRequest): InboxRecord => ({
  name: recordName(request),
  print: request.print,
  label: request.label,
  strikes: 0,
  tries: 0,
  standing: { status: 'released' },
  expiry: undefined,
});

const hasLapsed = (standing: InboxRecord['standing'], now: number, status: Hold['status']): boolean =>
  standing.status === status && standing.leaseUntil <= now;

const unknownOf = (record: InboxRecord): Stored => ({
  outcome: {
    kind: 'unknown',
    open: {
      call: record.label,
      detail: 'it was started, and whoever started it fell silent before saying how it ended',
    },
  },
});
