/** Sets by name; one that has become empty is gone. */
export interface Groups<T> {
  add(name: string, member: T): void;
  remove(name: string, member: T): void;
  of(name: string): readonly T[];
}

export const groups = <T>(): Groups<T> => {
  const sets = new Map<string, Set<T>>();
  return {
    add: (name, member) => {
      const set = sets.get(name);
      if (set) set.add(member);
      else sets.set(name, new Set([member]));
    },
    remove: (name, member) => {
      const set = sets.get(name);
      set?.delete(member);
      if (set?.size === 0) sets.delete(name);
    },
    of: (name) => [...(sets.get(name) ?? [])],
  };
};
