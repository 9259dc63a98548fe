import type { Clock } from '@foldmesh/ports';
import type { InboxShelf, ShelfCopy } from './inbox-shelf.ts';

/** A replica of the inbox: it has all that was written, but for the last moments. */
export interface InboxReplica {
  /** Called before each change, so that a copy is of a moment and not of half a step. */
  follow(): void;
  /** The shelf becomes what the replica has. */
  takeOver(): void;
}

/** Copies are made when somebody comes, at most once in each lag: what takes over is then one or two lags old, never newer. */
export const replicaOf = (shelf: InboxShelf, clock: Clock, lagMs: number): InboxReplica => {
  let older: ShelfCopy = shelf.copy();
  let newer: ShelfCopy = older;
  let copiedAt = clock.monotonic();
  return {
    follow() {
      if (lagMs === 0 || clock.monotonic() - copiedAt < lagMs) return;
      older = newer;
      newer = shelf.copy();
      copiedAt = clock.monotonic();
    },
    takeOver() {
      if (lagMs === 0) return;
      shelf.restore(older);
      newer = older;
    },
  };
};
