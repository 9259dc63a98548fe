import { type Fault, fail, type Result } from '@foldmesh/envelope';
import type { Clock, Log } from '@foldmesh/ports';

/** Knows whether the streams are still there. */
export interface TopologyWatch extends AsyncDisposable {
  /** What is missing that nobody may make anew; empty while all is well, and while nobody knows. */
  problems(): readonly string[];
}

export interface Watched {
  /** Whether there is a server to ask: that it is away says somebody else. */
  readonly isUp: () => boolean;
  /** Reads from the journal: whether it is there at all. */
  readonly journal: () => Promise<Result<unknown>>;
  /** Makes the streams that are missing, and says which. */
  readonly topology: () => Promise<Result<{ readonly created: readonly string[] }>>;
}

/** Between two looks, while all is well and while something is wrong. Milliseconds. */
const lookMs = 5_000;
const lookWrongMs = 1_000;

/**
 * Streams can be deleted under a running mesh. What was queued is in the journal, so queues are made anew and filled again
 * by the sweep. The journal is asked for first: with it everything is gone, and an empty one in its place would look like
 * a mesh that never had a job.
 */
export const topologyWatch = (watched: Watched, clock: Clock, log: Log): TopologyWatch => {
  const ending = new AbortController();
  let problem: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (!watched.isUp()) return;
    const read = await watched.journal();
    const made = read.ok ? await watched.topology() : fail(read.fault);
    // Who is about to end closes the connection under the question; and a server may have gone meanwhile.
    if (ending.signal.aborted || !watched.isUp()) return;
    const wrong = made.ok ? undefined : knownFrom(made.fault);
    if (wrong !== undefined && wrong !== problem) log('error', 'the streams are not there', { fault: wrong });
    problem = wrong;
    const created = made.ok ? made.value.created : [];
    if (created.length > 0) log('warn', 'streams were missing and were made anew', { created });
  };
  const watching = (async () => {
    while (!ending.signal.aborted) {
      await clock.sleep(problem === undefined ? lookMs : lookWrongMs, ending.signal);
      if (ending.signal.aborted) return;
      isLooking = true;
      await look();
      isLooking = false;
    }
  })();
  return {
    problems: () => (problem === undefined ? [] : [problem]),
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      // A look under way ends with the connection, and nobody waits for a server that may be away.
      if (!isLooking) await watching;
    },
  };
};

/** Silence says nothing of the streams. */
const knownFrom = ({ kind, detail }: Fault): string | undefined =>
  kind === 'unanswered' ? undefined : detail;
