/** Something that becomes due. Kept by whoever may want to take it out again. */
export interface Due<T> {
  readonly at: number;
  readonly value: T;
  /** Its place in the heap, -1 once it has left. */
  place: number;
  readonly serial: number;
}

/** What is due first comes out first; of two at one instant the one that was put in first. */
export interface DueHeap<T> {
  push(at: number, value: T): Due<T>;
  peek(): Due<T> | undefined;
  /** Takes the first one out if it is due at `now`. */
  popDue(now: number): T | undefined;
  /** Changes nothing if it has left already. */
  remove(due: Due<T>): void;
  size(): number;
}

/** A binary heap whose members know their place, so that taking one out of the middle costs no search. */
export const dueHeap = <T>(): DueHeap<T> => {
  const items: Due<T>[] = [];
  let serial = 0;

  const put = (due: Due<T>, place: number): void => {
    items[place] = due;
    due.place = place;
  };

  const rise = (due: Due<T>): void => {
    let place = due.place;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !isBefore(due, parent)) break;
      put(parent, place);
      place = above;
    }
    put(due, place);
  };

  const sink = (due: Due<T>): void => {
    let place = due.place;
    for (;;) {
      const left = items[2 * place + 1];
      const right = items[2 * place + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, due)) break;
      const below = child.place;
      put(child, place);
      place = below;
    }
    put(due, place);
  };

  const remove = (due: Due<T>): void => {
    if (due.place < 0) return;
    const place = due.place;
    const last = items.pop();
    due.place = -1;
    if (last === undefined || last === due) return;
    put(last, place);
    rise(last);
    sink(last);
  };

  return {
    push: (at, value) => {
      serial += 1;
      const due = { at, value, place: items.length, serial };
      items.push(due);
      rise(due);
      return due;
    },
    peek: () => items[0],
    popDue: (now) => {
      const first = items[0];
      if (first === undefined || first.at > now) return undefined;
      remove(first);
      return first.value;
    },
    remove,
    size: () => items.length,
  };
};

const isBefore = (one: Due<unknown>, other: Due<unknown>): boolean =>
  one.at < other.at || (one.at === other.at && one.serial < other.serial);
