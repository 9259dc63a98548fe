import { invariant, type Queue } from '@foldmesh/envelope';
import type { Subscription } from '@foldmesh/ports';
import { bell } from './bell.ts';
import type { Connection } from './connection.ts';
import type { QueueConsumer } from './consumers.ts';
import { type PullLine, pullLine } from './pull-line.ts';

/** How long a pull that has got something waits for the rest of what the server says is there. Milliseconds. */
const burstMs = 2;
/** How often a pull that has got nothing looks whether anybody still knows of it. Milliseconds. */
const lookMs = 250;
/** How long what was asked for stays asked for while nobody pulls. Milliseconds. */
const idleMs = 250;

/**
 * Pulls as many as are wanted now and no more: what is asked for stays asked for until it comes, so that no message lies
 * in our hands beyond a free slot. The client's own consumers prefetch by a threshold, which would.
 */
export const pullSubscription = (
  connection: Connection,
  queue: Queue,
  consumer: QueueConsumer,
): Subscription => {
  const { clock } = connection.settings;
  const closing = new AbortController();
  const arrivals = bell(clock);
  const line = pullLine(connection, queue, consumer, arrivals.ring);
  // The server at the other end knows nothing of what was asked of the one before.
  const stopHearing = connection.onReturn(() => {
    line.letGo();
    arrivals.ring();
  });
  let pulling = new AbortController();
  let leaving = Promise.resolve();

  /** Whoever does not pull again has no room: somebody else shall have what was asked for. */
  const letGoSoon = async (): Promise<void> => {
    const { signal } = pulling;
    await clock.sleep(idleMs, signal);
    if (!signal.aborted) line.letGo();
  };

  return {
    pull: async (max, signal) => {
      invariant(max >= 1, 'pull: it takes at least one');
      pulling.abort('over');
      pulling = new AbortController();
      const signals = [signal, closing.signal];
      while (!signals.some(({ aborted }) => aborted)) {
        if (isEnough(line, max)) {
          const taken = line.take(max);
          if (!line.isIdle()) leaving = letGoSoon();
          return taken;
        }
        const before = line.arrived();
        line.want(max - before);
        await arrivals.rest(before > 0 ? burstMs : lookMs, signals);
        if (before > 0 && line.arrived() === before) line.expectNoMore();
        line.renewIfDeaf();
      }
      line.letGo();
      await line.settled();
      return [];
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      pulling.abort('over');
      stopHearing();
      line.letGo();
      await Promise.all([leaving, line.settled()]);
    },
  };
};

const isEnough = (line: PullLine, max: number): boolean =>
  line.arrived() >= max || (line.arrived() > 0 && line.isAll());
