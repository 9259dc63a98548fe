import {
  invariant,
  ok,
  type Queue,
  queueOf,
  type RawHeaders,
  type Result,
  type WireId,
} from '@foldmesh/envelope';
import type { Standing } from '@foldmesh/ports';
import { type DuplicateWindow, duplicateWindow } from './duplicate-window.ts';
import { groups } from './groups.ts';
import { type Stand, streamFull } from './stand.ts';
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
  standing(of: Queue): Standing;
  /** Takes out what handlers would carry out for a job, held or not; the manager's own orders stay. */
  purge(tenant: string, job: string): number;
}

interface Stream {
  readonly window: DuplicateWindow<RawHeaders>;
  /** Subjects that hold their one message. */
  readonly taken: Set<string>;
  readonly messagesMax: number;
}

export const workStreams = (stand: Stand, source: string): WorkStreams => {
  const { clock, dice, settings, watch } = stand;
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

  const doorIsFull = (): boolean => door.taken.size >= door.messagesMax;

  const routeOf = (subject: string) => {
    const route = queueOf(subject);
    invariant(route, `no stream takes ${subject}`);
    return { ...route, owner: `${route.tenant}/${route.job}` };
  };

  return {
    queue,
    standing: (of) => {
      const { pausedMs, ...counts } = queue(of).counts();
      return {
        ...counts,
        ...(pausedMs > 0 && { paused_until: clock.now() + Math.ceil(pausedMs) }),
        ...(of.lane === 'submit' && doorIsFull() && { closed: doorFull(door) }),
        place: `${of.service}/${of.pool}/${of.lane}`,
      };
    },
    store: (subject, id, headers, body) => {
      const route = routeOf(subject);
      const stream = route.lane === 'submit' ? door : work;
      const now = clock.monotonic();
      const original = stream.window.recall(id, now);
      if (original !== undefined) watch.dropped({ ...route, headers }, original);
      if (original !== undefined || stream.taken.has(subject)) return ok({ duplicate: true });
      if (stream === door && doorIsFull()) return streamFull(source, doorFull(door));
      if (dice.hits('full')) return streamFull(source, 'the stream holds all that it may');
      const purgeable = route.lane === 'call' && route.service !== 'manager';
      const message: Message = {
        subject,
        headers,
        body,
        onGone: () => {
          stream.taken.delete(subject);
          watch.left({ ...route, headers });
          if (purgeable) callsOfJob.remove(route.owner, message);
        },
        delivered: false,
        gone: false,
        waiting: undefined,
        pending: undefined,
      };
      stream.window.remember(id, headers, now);
      stream.taken.add(subject);
      if (purgeable) callsOfJob.add(route.owner, message);
      watch.queued({ ...route, headers });
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

const doorFull = ({ messagesMax }: Stream): string => `the door holds ${messagesMax} messages`;
