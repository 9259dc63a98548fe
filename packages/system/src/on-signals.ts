/** What a process may be asked for from outside, and what it then does. */
export type SignalHandlers = Readonly<Partial<Record<'SIGINT' | 'SIGTERM', () => void>>>;

/** Hears signals until it is disposed; from then on they end the process again, as they do by themselves. */
export const onSignals = (handlers: SignalHandlers): AsyncDisposable => {
  const heard = (['SIGINT', 'SIGTERM'] as const).flatMap((signal) => {
    const handler = handlers[signal];
    if (handler === undefined) return [];
    const hear = (): void => handler(); // its own function, so that disposing takes off no one else's
    process.on(signal, hear);
    return [{ signal, hear }];
  });
  return {
    [Symbol.asyncDispose]: async () => {
      for (const { signal, hear } of heard) process.off(signal, hear);
    },
  };
};
