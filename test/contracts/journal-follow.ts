import { expect } from 'vitest';
import { append, collect, textOf } from './journal-hands.ts';
import { promise, type Rig, soon } from './rig.ts';

export const following = (rig: Rig<'journal'>): void => {
  promise(
    rig,
    'a follower gets what was there, then what comes, of the job and its runs, and of no other',
    async (bench) => {
      const { make, ports } = bench;
      const [first = 0] = await append(bench, make.entity(), ['job 1']);
      await append(bench, make.entity({ task: 'a', round: 1 }), ['run 1']);
      const stop = new AbortController();
      const following = collect(ports.journal.follow(make, 0, stop.signal), 4);
      await bench.advance(bench.slackMs);
      await append(bench, make.entity(undefined, make.otherJob), ['other']);
      await append(bench, { ...make.entity(), tenant: make.otherTenant }, ['stranger']);
      await append(bench, make.entity({ task: 'b', round: 2 }), ['run 2']);
      await append(bench, make.entity(), ['job 2'], first);
      // What of the others came would come before the last of these.
      const all = await following;
      stop.abort();
      expect(all.map(textOf)).toEqual(['job 1', 'run 1', 'run 2', 'job 2']);
      expect(all.map(({ entity }) => entity.run?.task)).toEqual([undefined, 'a', 'b', undefined]);
    },
  );

  promise(rig, 'a follower begins at the sequence it asks for', async (bench) => {
    const { make, ports } = bench;
    const [, second = 0] = await append(bench, make.entity(), ['a', 'b', 'c']);
    const stop = new AbortController();
    expect((await collect(ports.journal.follow(make, second, stop.signal), 2)).map(textOf)).toEqual([
      'b',
      'c',
    ]);
    stop.abort();
  });

  promise(rig, 'a follower may come before the first entry', async (bench) => {
    const { make, ports } = bench;
    const stop = new AbortController();
    const following = collect(ports.journal.follow(make, 0, stop.signal), 1);
    await bench.advance(bench.slackMs);
    await append(bench, make.entity(), ['a']);
    expect((await following).map(textOf)).toEqual(['a']);
    stop.abort();
  });

  promise(
    rig,
    'a follower loses nothing and gets nothing twice while it catches up with a busy job',
    async (bench) => {
      const { make, ports } = bench;
      const stop = new AbortController();
      const seqs = await append(bench, make.entity(), texts('before', 50));
      const followers = Array.from({ length: 5 }, () =>
        collect(ports.journal.follow(make, 0, stop.signal), 150),
      );
      seqs.push(...(await append(bench, make.entity(), texts('meanwhile', 50), seqs.at(-1))));
      await bench.advance(bench.slackMs);
      seqs.push(...(await append(bench, make.entity(), texts('later', 50), seqs.at(-1))));
      for (const all of await Promise.all(followers)) expect(all.map(({ seq }) => seq)).toEqual(seqs);
      stop.abort();
    },
  );

  promise(rig, 'a slow follower gets all of it too', async (bench) => {
    const { make, ports } = bench;
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const recorded of ports.journal.follow(make, 0, stop.signal)) {
        seen.push(textOf(recorded));
        await bench.advance(bench.slackMs / 10);
      }
    })();
    await append(bench, make.entity(), texts('entry', 20));
    await bench.advance(4 * bench.slackMs);
    await soon(bench, () => expect(seen).toHaveLength(20));
    stop.abort();
    await following;
    expect(seen).toEqual(texts('entry', 20));
  });

  promise(
    rig,
    'a follower ends when told to: while it waits, in the middle, and before it begins',
    async (bench) => {
      const { make, ports } = bench;
      const stop = new AbortController();
      const waiting = collect(ports.journal.follow(make, 0, stop.signal));
      await bench.advance(bench.slackMs);
      stop.abort();
      expect(await waiting).toEqual([]);
      expect(await collect(ports.journal.follow(make, 0, stop.signal))).toEqual([]);
      await append(bench, make.entity(), ['a', 'b', 'c']);
      const soon = new AbortController();
      const seen: string[] = [];
      for await (const recorded of ports.journal.follow(make, 0, soon.signal)) {
        seen.push(textOf(recorded));
        if (seen.length === 2) soon.abort();
      }
      expect(seen).toEqual(['a', 'b']);
    },
  );
};

const texts = (word: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`);
