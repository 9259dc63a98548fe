/**
 * Lets those who ask at one time share an answer. Nobody gets one that was asked for before its own call: what it would
 * say may be older than what the caller has just done.
 */
export const shared = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  const begin = (): Promise<T> => {
    const asked = ask();
    underWay = asked;
    const end = (): void => {
      if (underWay === asked) underWay = undefined;
    };
    asked.then(end, end);
    return asked;
  };

  return () => {
    if (underWay === undefined) return begin();
    next ??= underWay.then(take, take);
    return next;
  };

  function take(): Promise<T> {
    next = undefined;
    return begin();
  }
};
