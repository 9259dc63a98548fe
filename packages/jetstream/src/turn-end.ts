/**
 * Resolves when this turn of the event loop has ended, at once for all who wait in it: what they say then leaves in one
 * write. The client's own batches end sooner, wherever somebody waits for a promise in between.
 */
export const turnEnd = (): (() => Promise<void>) => {
  let end: Promise<void> | undefined;
  return () => {
    end ??= new Promise((resolve) => {
      process.nextTick(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
};
