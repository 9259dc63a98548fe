import { type JobId, ok, type Result, type TenantId } from '@foldmesh/envelope';
import type { Claim, ClaimRequest, Clock, Inbox, Peeked } from '@foldmesh/ports';
import { claimIn } from './inbox-claim.ts';
import { gripsOn } from './inbox-grips.ts';
import type { InboxRecord } from './inbox-record.ts';
import { replicaOf } from './inbox-replica.ts';
import { inboxShelf } from './inbox-shelf.ts';
import {
  copyJson,
  type EmbeddedWorld,
  type PortCall,
  portCall,
  type Stand,
  standOf,
  unanswered,
} from './stand.ts';

/** The dedup store in memory: each transition is one step, leases are counted on the store's own clock. */
export const embeddedInbox = (world: EmbeddedWorld): Inbox => inboxOn(standOf(world)).port;

const source = 'embedded-inbox';

export interface InboxStore {
  readonly port: Inbox;
  /** The store loses everything and knows it: its next life has another generation mark. */
  forgetAll(): void;
  /** A replica takes over that lacks what was last written, by as much as it lagged behind; the mark is another. */
  failOver(): void;
  /** Records whose lease still runs. */
  leases(): number;
  /** Whether a job's work may not begin any more. */
  isHalted(tenant: TenantId, job: JobId): boolean;
}

export const inboxOn = (stand: Stand): InboxStore => {
  const { clock, dice, random, settings, watch } = stand;
  const shelf = inboxShelf(stand);
  const replica = replicaOf(shelf, clock, settings.replicaLagMs);
  const asked = portCall(stand, source);
  const call: PortCall = (work) =>
    asked(() => {
      replica.follow();
      return work();
    });
  const contend = claimIn(stand, shelf);
  const grips = gripsOn(stand, shelf, source);
  let generation = random.hex(16);

  const claim = (request: ClaimRequest): Result<Claim> => {
    const answer = contend(request);
    if (answer.kind === 'struck') watch.struck(request);
    return answer.kind === 'won' && dice.hits('loseClaimReply') ? unanswered(source) : ok(answer);
  };

  return {
    forgetAll: () => {
      shelf.clear();
      generation = random.hex(16);
    },
    failOver: () => {
      replica.takeOver();
      generation = random.hex(16);
    },
    leases: () => shelf.leases(),
    isHalted: (tenant, job) => shelf.isMarked(`${tenant}/${job}`),
    port: {
      claim: (request) => call(() => claim(request)),
      renew: (held, leaseMs) => call(() => grips.renew(held, leaseMs)),
      start: (held) => call(() => grips.start(held)),
      complete: (held, stored, keepUntil) => {
        const copy = copyJson(stored);
        return call(() => grips.complete(held, copy, keepUntil));
      },
      release: (held, made) => {
        const copy = copyJson(made);
        return call(() => grips.release(held, copy));
      },
      peek: (id) =>
        call(() => {
          const record = shelf.find(id);
          return ok(record && seen(record, clock));
        }),
      halt: (tenant, job, keepUntil) =>
        call(() => {
          shelf.halt(`${tenant}/${job}`, keepUntil);
          return ok(undefined);
        }),
      generation: () => call(() => ok(generation)),
    },
  };
};

const seen = ({ standing, ...record }: InboxRecord, clock: Clock): Peeked => {
  const { print, label, strikes, tries } = record;
  const known = { print, label, strikes, tries };
  if (standing.status === 'settled') return { ...known, stored: copyJson(standing.stored) };
  if (standing.status === 'released' && standing.later !== undefined)
    return { ...known, later: copyJson(standing.later) };
  if (standing.status !== 'claimed' && standing.status !== 'started') return known;
  const leftMs = Math.round(standing.leaseUntil - clock.monotonic());
  return { ...known, holder: { owner: standing.owner, until: clock.now() + leftMs } };
};
