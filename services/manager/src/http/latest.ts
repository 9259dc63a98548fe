/** The latest of a line, as many as fit: who comes too late for one has to look for it elsewhere. */
export interface Latest<T> {
  add(item: T, bytes: number): void;
  /** One by its place in the line, unless it has been dropped or has not come yet. */
  at(place: number): T | undefined;
  /** Place of the oldest that is still here. */
  first(): number;
  /** Place of the next that comes. */
  end(): number;
  /** Drops all, and gives their room back. */
  clear(): void;
}

/** What several lines may hold together. */
export interface Room {
  readonly bytesMax: number;
  bytes: number;
}

/** Holds `bytesMax`, or less where there is no more room, or one thing that is larger; `dropped` is told what has to go. */
export const latest = <T>(
  bytesMax: number,
  room: Room,
  dropped: (item: T) => void = () => undefined,
): Latest<T> => {
  const items = new Map<number, { readonly item: T; readonly bytes: number }>();
  let first = 0;
  let end = 0;
  let held = 0;
  const hold = (bytes: number): void => {
    held += bytes;
    room.bytes += bytes;
  };
  const dropOldest = (): void => {
    const oldest = items.get(first);
    items.delete(first);
    first += 1;
    if (oldest === undefined) return;
    hold(-oldest.bytes);
    dropped(oldest.item);
  };
  return {
    add(item, bytes) {
      items.set(end, { item, bytes });
      end += 1;
      hold(bytes);
      while ((held > bytesMax || room.bytes > room.bytesMax) && items.size > 1) dropOldest();
    },
    at: (place) => items.get(place)?.item,
    first: () => first,
    end: () => end,
    clear() {
      items.clear();
      first = end;
      hold(-held);
    },
  };
};
