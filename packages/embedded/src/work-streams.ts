import {
  fail,
  fault,
  invariant,
  ok,
  type Queue,
  queueOf,
  type RawHeaders,
  type Result,
  type WireId,
} from '@foldmesh/envelope';
import { type DuplicateWindow, duplicateWindow } from './duplicate-window.ts';
import { groups } from './groups.ts';
import type { Stand } from './stand.ts';
import type { Message } from './waiting-room.ts';
import { type WorkQueue, workQueue } from './work-queue.ts';

/** The two streams of work: the door, which can be full, and all that accepted work leads to. */
export interface WorkStreams {
  /** Stores a message, unless its id was stored a moment ago or its subject still holds one. */
  store(
    subject: string,
    id: WireId,
    headers: RawHeaders,
    body: Uint8Array,
  ): Result<{ readonly duplicate: boolean }>;
  queue(of: Queue): WorkQueue;
  /** Takes out what handlers would carry out for a job, held or not; the manager's own orders stay. */
  purge(tenant: string, job: string): number;
}

interface Stream {
  readonly window: DuplicateWindow<true>;
  /** Subjects that hold their one message. */
  readonly taken: Set<string>;
  readonly messagesMax: number;
}

export const workStreams = (stand: Stand, source: string): WorkStreams => {
  const { clock, dice, settings } = stand;
  const streamOf = (messagesMax: number): Stream => ({
    window: duplicateWindow(settings.duplicateWindowMs),
    taken: new Set(),
    messagesMax,
  });
  const door = streamOf(settings.doorMessagesMax);
  const work = streamOf(Number.POSITIVE_INFINITY);
  const queues = new Map<string, WorkQueue>();
  const callsOfJob = groups<Message>();

  const queue = ({ service, pool, lane }: Queue): WorkQueue => {
    const name = `${service}/${pool}/${lane}`;
    const known = queues.get(name) ?? workQueue(stand);
    queues.set(name, known);
    return known;
  };

  const routeOf = (subject: string) => {
    const route = queueOf(subject);
    invariant(route, `no stream takes ${subject}`);
    return { ...route, job: `${route.tenant}/${route.job}` };
  };

  return {
    queue,
    store: (subject, id, headers, body) => {
      const route = routeOf(subject);
      const stream = route.lane === 'submit' ? door : work;
      const now = clock.monotonic();
      if (stream.window.recall(id, now) || stream.taken.has(subject)) return ok({ duplicate: true });
      if (stream.taken.size >= stream.messagesMax)
        return fail(
          fault('throttled', `the door holds ${stream.messagesMax} messages`, {
            source,
            retry_after_ms: 1_000,
          }),
        );
      const purgeable = route.lane === 'call' && route.service !== 'manager';
      const message: Message = {
        subject,
        headers,
        body,
        onGone: () => {
          stream.taken.delete(subject);
          if (purgeable) callsOfJob.remove(route.job, message);
        },
        delivered: false,
        gone: false,
        waiting: undefined,
        pending: undefined,
      };
      stream.window.remember(id, true, now);
      stream.taken.add(subject);
      if (purgeable) callsOfJob.add(route.job, message);
      queue(route).add(message, dice.hits('delay') ? dice.wait(settings.delayMsMax) : 0);
      return ok({ duplicate: false });
    },
    purge: (tenant, job) => {
      const calls = callsOfJob.of(`${tenant}/${job}`);
      for (const message of calls) queue(routeOf(message.subject)).remove(message);
      return calls.length;
    },
  };
};
