import { onSignals, systemClock } from '@foldmesh/system';

const sameSignalMs = 300;

/** The first signal asks a process to end; a second one ends it at once, and is told which it was. */
export const untilSignal = (
  drain: (signal: 'SIGINT' | 'SIGTERM') => void,
  kill: (code: number) => void,
): AsyncDisposable => {
  let firstAt: number | undefined;
  const hear = (signal: 'SIGINT' | 'SIGTERM', code: number) => (): void => {
    const now = systemClock.monotonic();
    // A group kill may signal us and whoever passes signals on to us: that is one signal.
    if (firstAt !== undefined && now - firstAt < sameSignalMs) return;
    if (firstAt !== undefined) kill(code);
    firstAt = now;
    drain(signal);
  };
  return onSignals({ SIGINT: hear('SIGINT', 130), SIGTERM: hear('SIGTERM', 143) });
};

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
