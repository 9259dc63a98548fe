/**
 * One look at a time for all who ask for the same. Who comes while one is under way shares the next: what was there when
 * it asked is in what it is told, and a thousand who ask at once cost two looks.
 */
export const sharedLook = <Name extends string, T>(
  look: (name: Name) => Promise<T>,
): ((name: Name) => Promise<T>) => {
  const running = new Map<Name, Promise<T>>();
  const next = new Map<Name, Promise<T>>();
  const begin = (name: Name): Promise<T> => {
    const now = look(name);
    const over = (): void => void running.delete(name);
    running.set(name, now);
    now.then(over, over);
    return now;
  };
  return (name) => {
    const current = running.get(name);
    if (current === undefined) return begin(name);
    const goOn = (): Promise<T> => {
      next.delete(name);
      return begin(name);
    };
    const waiting = next.get(name) ?? current.then(goOn, goOn);
    next.set(name, waiting);
    return waiting;
  };
};
