import { ok, type Result } from '@foldmesh/envelope';
import type { Grip, Held, Made, Stored } from '@foldmesh/ports';
import { type Hold, holdOf, type InboxRecord, isSettledBy } from './inbox-record.ts';
import type { InboxShelf } from './inbox-shelf.ts';
import { type Stand, unanswered } from './stand.ts';

/** What whoever holds a record may do to it; with any token but the last it changes nothing. */
export interface InboxGrips {
  renew(held: Held, leaseMs: number): Result<Grip>;
  start(held: Held): Result<Grip>;
  complete(held: Held, stored: Stored, keepUntil: number): Result<Grip>;
  release(held: Held, made: Made): Result<Grip>;
}

export const gripsOn = ({ clock, dice, settings }: Stand, shelf: InboxShelf, source: string): InboxGrips => {
  const keep = (record: InboxRecord): void => shelf.keep(record, clock.now() + settings.unfinishedKeepMs);

  /** Lets the last token change its record; `settled` says what a token is told that has completed it already. */
  const change = (
    held: Held,
    settled: 'held' | 'lost',
    how: (record: InboxRecord, hold: Hold) => void,
  ): Result<Grip> => {
    const record = shelf.find(held);
    const hold = record && holdOf(record, held.token);
    if (!record || !hold) return ok(record && isSettledBy(record, held.token) ? settled : 'lost');
    how(record, hold);
    if (dice.hits('loseGripReply')) return unanswered(source);
    return ok(shelf.isHalted(held) ? 'halted' : 'held');
  };

  return {
    renew: (held, leaseMs) =>
      change(held, 'held', (record, hold) => {
        record.standing = { ...hold, leaseUntil: clock.monotonic() + leaseMs };
        keep(record);
      }),
    /** A cancelled job's effect must not leave any more, so nothing is started there. */
    start: (held) =>
      change(held, 'lost', (record, hold) => {
        if (!shelf.isHalted(held)) record.standing = { ...hold, status: 'started' };
      }),
    complete: (held, stored, keepUntil) =>
      change(held, 'held', (record) => {
        record.standing = { status: 'settled', token: held.token, stored };
        shelf.keep(record, keepUntil);
      }),
    release: (held, made) =>
      change(held, 'lost', (record) => {
        if (made !== 'nothing') record.tries += 1;
        record.standing = { status: 'released', ...(typeof made === 'object' && { later: made }) };
        if (record.tries === 0 && record.strikes === 0) shelf.drop(record);
        else keep(record);
      }),
  };
};
