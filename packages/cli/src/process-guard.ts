import { shownOn } from './printable.ts';

/** The part of a process that is guarded. */
export type GuardedProcess = Pick<NodeJS.Process, 'on' | 'exit' | 'stdout' | 'stderr'> & {
  exitCode?: number | string | null | undefined;
};

/** Told when the command ends by itself: whoever ends the process before that ends a job under way. */
export interface ProcessGuard {
  /** Aborts when the reader of standard output has gone away. */
  readonly outGone: AbortSignal;
  conclude(): void;
}

/**
 * Keeps what runs inside from passing a job for done: a skill that ends the process, or leaves something behind that
 * throws, ends it with 1 and one sentence. A reader that has gone away, like head, ends what is said to it and not the job.
 */
export const guardProcess = (guarded: GuardedProcess): ProcessGuard => {
  const { stdout, stderr } = guarded;
  const outGone = new AbortController();
  let concluded = false;
  const giveUp = (): never => {
    concluded = true;
    return guarded.exit(1);
  };
  guarded.on('exit', () => {
    if (concluded) return;
    stderr.write('foldmesh: something ended this process before the command had ended\n');
    guarded.exitCode = 1;
  });
  const threw = (error: unknown): never => {
    stderr.write(
      `foldmesh: something threw that nobody awaits, and nothing can be relied on after it: ${shownOn(stderr, String(error))}\n`,
    );
    return giveUp();
  };
  guarded.on('uncaughtException', threw);
  guarded.on('unhandledRejection', threw);
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') giveUp();
      if (stream === stdout) outGone.abort();
    });
  return {
    outGone: outGone.signal,
    conclude() {
      concluded = true;
    },
  };
};
