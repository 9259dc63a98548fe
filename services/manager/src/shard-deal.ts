import { invariant, managerPattern, managerSubject, ok, type PoolName, sha256Hex } from '@foldmesh/envelope';
import type { Host, Part } from '@foldmesh/runtime';

/** Which replica reads which shard: a hint that spares conflicts. What keeps it right is the expected sequence. */
export interface ShardDeal {
  readonly part: Part;
  /** Resolves when the shard is this replica's to read; the signal aborts when it is no longer, or when intake ends. */
  turn(shard: PoolName): Promise<AbortSignal>;
}

/** How often a replica says that it is there, and for how long one that has said nothing still counts. Milliseconds. */
const aliveMs = 1_000;
const silentMs = 3_500;

const alive = new TextEncoder().encode('alive');
const gone = new TextEncoder().encode('gone');

const isGone = (body: Uint8Array): boolean => new TextDecoder().decode(body) === 'gone';

/** A shard as this replica has it: it waits for it, or reads it until it is over. */
interface Seat {
  isMine: boolean;
  over: AbortController;
  begins: PromiseWithResolvers<void>;
}

/**
 * Replicas tell each other that they are there, without promise, and each works out by itself who of them reads what: the
 * one whose name and the shard's hash highest together. When one comes or goes only its own shards change hands.
 */
export const shardDeal = (shards: readonly PoolName[]): ShardDeal => {
  const seats = new Map(shards.map((shard) => [shard, newSeat()]));
  const heard = new Map<string, number>();
  let self = '';

  const deal = (): void => {
    for (const [shard, seat] of seats) {
      const isMine = ownerOf(shard, [self, ...heard.keys()]) === self;
      if (isMine && !seat.isMine) {
        seat.isMine = true;
        seat.over = new AbortController();
        seat.begins.resolve();
      } else if (!isMine && seat.isMine) {
        seat.isMine = false;
        seat.begins = Promise.withResolvers();
        seat.over.abort();
      }
    }
  };

  const hear = (host: Host, body: Uint8Array, subject: string): void => {
    const name = subject.split('.').at(-1) ?? '';
    if (name === self) return;
    const isNew = !heard.has(name);
    if (isGone(body)) {
      if (heard.delete(name)) deal();
      return;
    }
    heard.set(name, host.ports.clock.monotonic());
    if (isNew) deal();
  };

  const tell = async (host: Host): Promise<void> => {
    const { bus, clock } = host.ports;
    await using _ = bus.listen(managerPattern, (body, subject) => hear(host, body, subject));
    const mine = managerSubject(self);
    while (!host.intake.aborted) {
      bus.cast(mine, alive);
      await clock.sleep(aliveMs, host.intake);
      const late = clock.monotonic() - silentMs;
      const silent = [...heard].filter(([, at]) => at < late).map(([name]) => name);
      for (const name of silent) heard.delete(name);
      if (silent.length > 0) deal();
    }
    bus.cast(mine, gone);
    for (const seat of seats.values()) leave(seat);
  };

  return {
    part: async (host) => {
      // A name of one token, whatever the party is called.
      self = sha256Hex(host.instance).slice(0, 16);
      heard.clear();
      // A start that failed half-way has left its seats; this one begins with none.
      for (const seat of seats.values()) Object.assign(seat, newSeat());
      deal();
      host.nursery.go(() => tell(host));
      return ok(undefined);
    },
    turn: async (shard) => {
      const seat = seats.get(shard);
      invariant(seat !== undefined, `there is no shard ${shard}`);
      await seat.begins.promise;
      return seat.over.signal;
    },
  };
};

/** Whoever waits for it goes on, to find that there is nothing to read any more. */
const leave = (seat: Seat): void => {
  seat.over.abort();
  seat.begins.resolve();
};

const newSeat = (): Seat => ({
  isMine: false,
  over: new AbortController(),
  begins: Promise.withResolvers(),
});

/** Rendezvous hashing: everybody who knows the same names finds the same owner. */
export const ownerOf = (shard: PoolName, names: readonly string[]): string | undefined =>
  names.toSorted((one, other) => (weight(shard, one) < weight(shard, other) ? 1 : -1))[0];

const weight = (shard: PoolName, name: string): string => sha256Hex(`${name} ${shard}`);
