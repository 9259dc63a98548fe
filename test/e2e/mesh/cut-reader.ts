import type { Random } from '@foldmesh/ports';
import { type HeardEvents, hearEvents } from './hear-events.ts';

/** What a client has heard of a job over many connections. */
export interface CutRead extends HeardEvents {
  readonly connections: number;
  readonly cuts: number;
  /** How many of the cuts were made before the job had ended. */
  readonly live: number;
}

interface Cutting {
  readonly cuts: number;
  /** All cuts are made within so many events. */
  readonly eventsMax: number;
  readonly random: Random;
  /** Whether the job has ended. */
  readonly isOver: () => Promise<boolean>;
}

/**
 * Reads a job's events to the end, as a client that loses its connection after numbers of events that nobody chose and
 * comes back to the next of the managers with the id it has heard last.
 */
export const cutReader = async (urls: readonly string[], job: string, cutting: Cutting): Promise<CutRead> => {
  const heard: HeardEvents = { ids: [], names: [] };
  const moments = momentsOf(cutting);
  let connections = 0;
  let live = 0;
  for (;;) {
    const cutAt = moments[connections];
    const url = `${urls[connections % urls.length]}/v1/jobs/${job}/events`;
    connections += 1;
    const leave = new AbortController();
    const last = heard.ids.at(-1);
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const response = await fetch(url, { headers, signal: leave.signal });
    if (response.status !== 200) throw new Error(`${url} after ${last}: ${response.status}`);
    const whole = await hearEvents(response, heard, cutAt);
    if (cutAt === undefined || whole) return { ...heard, connections, cuts: connections - 1, live };
    if (!(await cutting.isOver())) live += 1;
    leave.abort();
  }
};

/** After how many events each cut is made, each at another. */
const momentsOf = ({ cuts, eventsMax, random }: Cutting): readonly number[] => {
  const moments = new Set<number>();
  while (moments.size < cuts) moments.add(1 + Math.floor(random.float() * (eventsMax - 1)));
  return [...moments].toSorted((a, b) => a - b);
};
