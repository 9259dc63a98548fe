import { encodeJson, JobId, liveSubject } from '@foldmesh/envelope';
import type { Ports } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { type Frame, type Heard, hear } from './testing/frames.ts';
import { anotherTry, journalWriter, lastEvent } from './testing/journal-writer.ts';
import { hold, jobOf, origin, stories, type TestApi, tenant } from './testing/test-api.ts';

const story = stories(it);

/** What one door asks of the journal. */
interface Asked {
  follows: number;
  reads: number;
  /** Readers that follow now. */
  following: number;
}

const counted = (ports: Ports): { readonly asked: Asked; readonly ports: Ports } => {
  const asked: Asked = { follows: 0, reads: 0, following: 0 };
  const { journal } = ports;
  async function* followed(...given: Parameters<typeof journal.follow>) {
    asked.follows += 1;
    asked.following += 1;
    try {
      yield* journal.follow(...given);
    } finally {
      asked.following -= 1;
    }
  }
  const read: typeof journal.read = (...given) => {
    asked.reads += 1;
    return journal.read(...given);
  };
  return { asked, ports: { ...ports, journal: { ...journal, follow: followed, read } } };
};

/** A job under way, a door of its own, and what may be written into its journal. */
const scene = async (api: TestApi, around: (ports: Ports) => Ports = (all) => all) => {
  const job = await api.submit(jobOf([hold('a')]));
  const { asked, ports } = counted(around(api.ports));
  const app = await api.open({ ports });
  const events = (lastId?: string): Promise<Response> =>
    app(
      new Request(`${origin}/v1/jobs/${job}/events`, {
        headers: lastId === undefined ? {} : { 'last-event-id': lastId },
      }),
    );
  return { job, asked, events, write: journalWriter(api.ports, tenant, job) };
};

const ids = (frames: readonly Frame[]): readonly (string | undefined)[] => frames.map(({ id }) => id);
/** The ids of so many tries that were written one after the other, and of the last event. */
const numbered = (last: number, tries: number): readonly string[] => [
  ...Array.from({ length: tries * 3 }, (_, n) => `${last - tries + Math.floor(n / 3)}.${n % 3}`),
  `${last}.0`,
];

/** Writes so many entries of large events, one a millisecond. */
const flood = async (
  api: TestApi,
  write: ReturnType<typeof journalWriter>,
  count: number,
  tries = 1,
): Promise<void> => {
  for (let n = 0; n < count; n++) {
    await write(Array.from({ length: tries }, () => anotherTry(4_000)).flat());
    await api.clock.sleep(1);
  }
};

describe('the readers of one job', () => {
  story(
    'are a thousand at most, also when more come at the same moment, and each place is free again',
    async (api) => {
      const { events } = await scene(api);
      const burst = await Promise.all(Array.from({ length: 1_010 }, () => events()));
      expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
      const readers = burst.map((response) => response.body?.getReader());
      let ended = 0;
      for (const reader of readers) {
        await reader?.read(); // when to come back
        void reader?.read().then(({ done }) => {
          ended += done ? 1 : 0;
        });
      }
      await api.clock.sleep(100);
      expect(ended).toBe(10);
      const late = await events();
      expect([late.status, await late.json()]).toMatchObject([503, { code: 'too_many_readers' }]);
      for (const reader of readers) await reader?.cancel();
      const again = await events();
      expect(again.status).toBe(200);
      await again.body?.cancel();
    },
  );

  story('share one look at its journal while it goes on', async (api) => {
    const { asked, events, write } = await scene(api);
    const hearing = Array.from({ length: 20 }, async () => hear(await events()));
    await api.clock.sleep(10);
    const caughtUp = asked.reads;
    await flood(api, write, 50);
    const last = await write([lastEvent]);
    const heard = await Promise.all(hearing);
    expect(asked).toEqual({ follows: 1, reads: caughtUp, following: 0 });
    expect(ids(heard[0]?.frames ?? []).slice(-151)).toEqual(numbered(last, 50));
    for (const { frames, closed } of heard) expect([closed, frames]).toEqual([true, heard[0]?.frames]);
  });

  story('may come at any moment: what has gone by is joined to what comes, without a seam', async (api) => {
    const { asked, events, write } = await scene(api);
    const hearing: Promise<Heard>[] = [];
    for (let n = 0; n < 30; n++) {
      hearing.push(events().then((response) => hear(response)));
      await flood(api, write, 5);
    }
    await write([lastEvent]);
    const heard = await Promise.all(hearing);
    expect(heard[0]?.frames.length).toBeGreaterThan(450);
    for (const { frames } of heard) expect(ids(frames)).toEqual(ids(heard[0]?.frames ?? []));
    expect(asked.follows).toBe(1);
  });

  story('do not wait for one that has stopped, which goes on later where it was', async (api) => {
    const { asked, events, write } = await scene(api);
    const slow = await events();
    const reader = slow.body?.getReader();
    for (let read = 0; read < 2; read++) await reader?.read();
    reader?.releaseLock();
    const quick = hear(await events());
    await api.clock.sleep(10);
    const before = asked.reads;
    // More than is held of a job for all.
    await flood(api, write, 100, 14);
    expect(asked.reads).toBe(before);
    const last = await write([lastEvent]);
    const all = await quick;
    const rest = await hear(slow);
    expect(rest.closed).toBe(true);
    // It has had the hint how to come back, and the first entry.
    expect(ids(rest.frames)).toEqual(ids(all.frames).filter((id) => id?.startsWith('1.') === false));
    expect(asked.reads).toBeGreaterThan(before);
    expect(ids(rest.frames).at(-1)).toBe(`${last}.0`);
    expect(asked.follows).toBe(1);
  });

  story('leave nothing behind', async (api) => {
    const { asked, events } = await scene(api);
    const sleepers = api.clock.sleepers();
    const leave = Promise.withResolvers<void>();
    const readers = Array.from({ length: 5 }, async () => {
      const reader = (await events()).body?.getReader();
      const reading = (async () => {
        while ((await reader?.read())?.done === false);
      })();
      await leave.promise;
      await reader?.cancel();
      await reading;
    });
    await api.clock.sleep(10);
    expect(asked).toMatchObject({ follows: 1, following: 1 });
    leave.resolve();
    await Promise.all(readers);
    expect(asked).toMatchObject({ follows: 1, following: 0 });
    expect(api.clock.sleepers()).toBe(sleepers);
  });

  story('are cut when the journal cannot be read, and go on when they come back', async (api) => {
    let isBroken = true;
    const breaking = (ports: Ports): Ports => ({
      ...ports,
      journal: {
        ...ports.journal,
        async *follow(...given) {
          for await (const recorded of ports.journal.follow(...given)) {
            if (isBroken) throw new Error('it is away');
            yield recorded;
          }
        },
      },
    });
    const { asked, events, write } = await scene(api, breaking);
    // One has stopped reading: the broken feed is still its own when the others come back.
    const stopped = (await events()).body?.getReader();
    for (let read = 0; read < 4; read++) await stopped?.read();
    const first = hear(await events());
    await api.clock.sleep(10);
    await write(anotherTry(10));
    const cut = await first;
    expect([cut.closed, cut.frames.at(-1)?.event]).toEqual([true, 'tasks-assigned']);
    isBroken = false;
    const second = hear(await events(cut.frames.at(-1)?.id));
    await api.clock.sleep(10);
    const last = await write([lastEvent]);
    expect(ids((await second).frames)).toEqual(numbered(last, 1));
    expect(asked.follows).toBe(2);
    await stopped?.cancel();
  });
});

describe('live news', () => {
  const cast = ({ ports }: TestApi, job: string, news: Uint8Array): void =>
    ports.bus.cast(liveSubject(tenant, JobId.parse(job)), news);
  const word = (n: number): Uint8Array => encodeJson({ task: 'a', text: `word\n${n}` });

  story('reach who has heard all else, without an id, and not who comes later', async (api) => {
    const { job, events, write } = await scene(api);
    const response = await events();
    const hearing = hear(response);
    await api.clock.sleep(10);
    for (let n = 0; n < 10; n++) {
      cast(api, job, word(n));
      await api.clock.sleep(1);
    }
    for (const none of [
      new Uint8Array([0xff]),
      new TextEncoder().encode('{'),
      encodeJson('x'.repeat(20_000)),
    ])
      cast(api, job, none);
    await api.clock.sleep(10);
    const late = hear(await events());
    await api.clock.sleep(10);
    await write([lastEvent]);
    const { frames } = await hearing;
    const live = frames.filter(({ event }) => event === 'live');
    expect(live).toEqual(
      Array.from({ length: 10 }, (_, n) => ({ event: 'live', data: { task: 'a', text: `word\n${n}` } })),
    );
    expect((await late).frames).toEqual(frames.filter(({ event }) => event !== 'live'));
  });

  story('are dropped for one that is slow, which gets every event all the same', async (api) => {
    const { job, events, write } = await scene(api);
    const slow = await events();
    const reader = slow.body?.getReader();
    await reader?.read();
    await reader?.read();
    reader?.releaseLock();
    for (let n = 0; n < 10_000; n++) cast(api, job, word(n));
    await api.clock.sleep(10);
    const last = await write([lastEvent]);
    const { frames } = await hear(slow);
    const told = frames.filter(({ event }) => event === 'live').length;
    expect(told).toBeLessThan(1_000);
    expect(ids(frames).at(-1)).toBe(`${last}.0`);
  });
});

story('as many may read as a process can hold, and the next is told to ask again', async (api) => {
  const { events } = await scene(api);
  const readers: (ReadableStreamDefaultReader | undefined)[] = [];
  for (let n = 0; n < 1_000; n++) {
    const reader = (await events()).body?.getReader();
    for (let read = 0; read < 2; read++) await reader?.read();
    readers.push(reader);
  }
  const refused = await events();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  await readers[0]?.cancel();
  expect((await events()).status).toBe(200);
  for (const reader of readers.slice(1)) await reader?.cancel();
});
