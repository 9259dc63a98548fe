/** Hears what is thrown where nobody awaits it, which would end the process on the spot, until it is disposed. */
export const onUncaught = (hear: (error: unknown) => void): AsyncDisposable => {
  const heard = (error: unknown): void => hear(error);
  process.on('uncaughtException', heard);
  process.on('unhandledRejection', heard);
  return {
    [Symbol.asyncDispose]: async () => {
      process.off('uncaughtException', heard);
      process.off('unhandledRejection', heard);
    },
  };
};
