/** A place in a chain. Kept by whoever may want to leave the chain from the middle. */
export interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
  linked: boolean;
}

/** First in, first out, and out of the middle at the same cost: an array would move thousands at each step. */
export interface Chain<T> {
  push(value: T): Link<T>;
  shift(): T | undefined;
  /** Changes nothing if it has left already. */
  remove(link: Link<T>): void;
  first(): T | undefined;
  size(): number;
}

export const chain = <T>(): Chain<T> => {
  let head: Link<T> | undefined;
  let tail: Link<T> | undefined;
  let size = 0;

  const remove = (link: Link<T>): void => {
    if (!link.linked) return;
    if (link.before) link.before.after = link.after;
    else head = link.after;
    if (link.after) link.after.before = link.before;
    else tail = link.before;
    link.before = undefined;
    link.after = undefined;
    link.linked = false;
    size -= 1;
  };

  return {
    push: (value) => {
      const link: Link<T> = { value, before: tail, after: undefined, linked: true };
      if (tail) tail.after = link;
      else head = link;
      tail = link;
      size += 1;
      return link;
    },
    shift: () => {
      const link = head;
      if (link === undefined) return undefined;
      remove(link);
      return link.value;
    },
    remove,
    first: () => head?.value,
    size: () => size,
  };
};
