import { ok, type Result } from '@foldmesh/envelope';
import type { Claim, ClaimRequest, Grip, Held, Inbox, Peeked } from '@foldmesh/ports';
import { claimIn } from './inbox-claim.ts';
import { type Hold, holdOf, type InboxRecord, isSettledBy } from './inbox-record.ts';
import { inboxShelf } from './inbox-shelf.ts';
import { copyJson, type EmbeddedWorld, portCall, type Stand, standOf, unanswered } from './stand.ts';

/** The dedup store in memory: each transition is one step, leases are counted on the store's own clock. */
export const embeddedInbox = (world: EmbeddedWorld): Inbox => inboxOn(standOf(world)).port;

const source = 'embedded-inbox';

export interface InboxStore {
  readonly port: Inbox;
  /** The store loses everything and knows it: its next life has another generation mark. */
  forgetAll(): void;
}

export const inboxOn = (stand: Stand): InboxStore => {
  const { clock, dice, random, settings } = stand;
  const call = portCall(stand, source);
  const shelf = inboxShelf(stand);
  const contend = claimIn(stand, shelf);
  let generation = random.hex(16);

  const keep = (record: InboxRecord): void => shelf.keep(record, clock.now() + settings.unfinishedKeepMs);

  const claim = (request: ClaimRequest): Result<Claim> => {
    const answer = contend(request);
    return answer.kind === 'won' && dice.hits('loseClaimReply') ? unanswered(source) : ok(answer);
  };

  /** Lets the last token change its record; `settled` says what a token is told that has completed it already. */
  const change = (
    held: Held,
    settled: 'held' | 'lost',
    how: (record: InboxRecord, hold: Hold) => void,
  ): Result<Grip> => {
    const record = shelf.find(held);
    const hold = record && holdOf(record, held.token);
    if (record && hold) {
      how(record, hold);
      return ok(shelf.isHalted(held) ? 'halted' : 'held');
    }
    return ok(record && isSettledBy(record, held.token) ? settled : 'lost');
  };

  const renew = (held: Held, leaseMs: number): Result<Grip> =>
    change(held, 'held', (record, hold) => {
      record.standing = { ...hold, leaseUntil: clock.monotonic() + leaseMs };
      keep(record);
    });

  /** A cancelled job's effect must not leave any more, so nothing is started there. */
  const start = (held: Held): Result<Grip> =>
    change(held, 'lost', (record, hold) => {
      if (!shelf.isHalted(held)) record.standing = { ...hold, status: 'started' };
    });

  const release = (held: Held, made: 'try' | 'nothing'): Result<Grip> =>
    change(held, 'lost', (record) => {
      if (made === 'try') record.tries += 1;
      record.standing = { status: 'released' };
      if (record.tries === 0 && record.strikes === 0) shelf.drop(record);
      else keep(record);
    });

  return {
    forgetAll: () => {
      shelf.clear();
      generation = random.hex(16);
    },
    port: {
      claim: (request) => call(() => claim(request)),
      renew: (held, leaseMs) => call(() => renew(held, leaseMs)),
      start: (held) => call(() => start(held)),
      complete: (held, stored, keepUntil) => {
        const copy = copyJson(stored);
        return call(() =>
          change(held, 'held', (record) => {
            record.standing = { status: 'settled', token: held.token, stored: copy };
            shelf.keep(record, keepUntil);
          }),
        );
      },
      release: (held, made) => call(() => release(held, made)),
      peek: (id) => call(() => ok(seen(shelf.find(id)))),
      halt: (tenant, job, keepUntil) =>
        call(() => {
          shelf.halt(`${tenant}/${job}`, keepUntil);
          return ok(undefined);
        }),
      generation: () => call(() => ok(generation)),
    },
  };
};

const seen = (record: InboxRecord | undefined): Peeked | undefined =>
  record && {
    print: record.print,
    label: record.label,
    ...(record.standing.status === 'settled' && { stored: copyJson(record.standing.stored) }),
  };
