import { eventually } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { type HeardEvents, hearEvents } from './mesh/hear-events.ts';
import { floodJournal } from './mesh/journal-flood.ts';
import { passing } from './mesh/outage.ts';
import { openSockets, residentBytes } from './mesh/process-facts.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { silentReader } from './mesh/silent-reader.ts';

const timeout = 420_000;
const silent = 50;
const mib = 1024 * 1024;
const eventBytes = 100 * mib;
/** What a reader may cost at most, and what the process needs for its own work on all those events. */
const readerBytesMax = 1 * mib;
const workBytesMax = 150 * mib;
/** How long after the last of all those events a reader that keeps up has heard it, on a machine that has much to do. */
const lateMsMax = 60_000;
/** A connection on which nothing moves is dropped after 45 s, or twice that when something is on its way. */
const cutMs = 120_000;

it('serves a reader in time beside fifty that read nothing, in bounded memory, and cuts those', {
  timeout,
}, async () => {
  await using mesh = await realMesh({ workers: 1 });
  const { url } = mesh.client;
  const { pid } = mesh.manager.child();
  const job = await mesh.client.submit(sleeper);
  await eventually(async () => expect((await mesh.client.record(job)).status).toBe('running'));
  const socketsBefore = await openSockets(pid);
  const readers = await Promise.all(Array.from({ length: silent }, () => silentReader(url, job)));
  await eventually(async () => expect(await openSockets(pid)).toBeGreaterThanOrEqual(socketsBefore + silent));
  const normal = allEvents(url, job);
  const before = await residentBytes(pid);
  const memory = watchMemory(pid);
  let last = 0;
  const began = performance.now();
  await floodJournal(mesh.nats.url, { tenant: 'local', job, bytes: eventBytes }, (seq) => {
    last = seq;
  });
  const floodMs = performance.now() - began;
  expect((await mesh.client.post(`/v1/jobs/${job}/cancel`, {})).status).toBe(202);
  const { ids, names } = await normal;
  const lateMs = performance.now() - began - floodMs;
  const most = await memory.stop();
  const whole = await allEvents(url, job);
  expect(ids).toEqual(whole.ids);
  expect(names.at(-1)).toBe('job-cancelled');
  expect(Number(ids.at(-1)?.split('.')[0])).toBeGreaterThan(last);
  expect(lateMs).toBeLessThan(lateMsMax);
  const grown = most - before;
  process.stdout.write(
    `${ids.length} events of ${eventBytes / mib} MiB in ${Math.round(floodMs)} ms, heard ${Math.round(lateMs)} ms after; ` +
      `memory ${Math.round(before / mib)} MiB, grown by ${Math.round(grown / mib)} MiB\n`,
  );
  expect(grown).toBeLessThan(silent * readerBytesMax + workBytesMax);
  await eventually(async () => expect(await openSockets(pid)).toBeLessThan(socketsBefore + 5), {
    withinMs: cutMs,
    everyMs: 500,
  });
  // Each has had the beginning, and gets the rest where it broke off.
  for (const reader of readers.slice(0, 3)) {
    const had = await reader.wake();
    expect(had).toEqual(whole.ids.slice(0, had.length));
    const rest = await allEvents(url, job, had.at(-1));
    expect([...had, ...rest.ids]).toEqual(whole.ids);
  }
  for (const { socket } of readers) socket.destroy();
});

const sleeper = {
  name: 'sleeper',
  plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms: 600_000 } }] },
};

/** What a client hears that reads as fast as it can. */
const allEvents = async (url: string, job: string, after?: string): Promise<HeardEvents> => {
  const heard: HeardEvents = { ids: [], names: [] };
  const headers = after === undefined ? {} : { 'last-event-id': after };
  await hearEvents(await fetch(`${url}/v1/jobs/${job}/events`, { headers }), heard);
  return heard;
};

/** The most memory that a process has held while somebody looked. */
const watchMemory = (pid: number): { stop(): Promise<number> } => {
  let isOver = false;
  let most = 0;
  const watch = (async () => {
    while (!isOver) {
      most = Math.max(most, await residentBytes(pid));
      await passing(50);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watch;
      return most;
    },
  };
};
