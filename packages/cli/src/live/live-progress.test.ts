import { type JobState, jobFold } from '@foldmesh/job';
import { play, spec, task } from '@foldmesh/job/internal';
import { describe, expect, it } from 'vitest';
import { liveProgress } from './live-progress.ts';

/** A clock that passes in steps, and a screen that keeps what is drawn on it. */
const scene = (answered?: (request: string) => string) => {
  const drawn: string[] = [];
  const time = { now: 0 };
  let now = 0;
  let wake = Promise.withResolvers<void>();
  const clock = {
    monotonic: () => now,
    now: () => time.now + now,
    sleep: async (_: number, signal?: AbortSignal): Promise<void> => {
      const over = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      await Promise.race([wake.promise, over]);
    },
  };
  const screen = {
    isTerminal: true,
    hasColours: false,
    columns: 70,
    rows: 10,
    write: (text: string) => void drawn.push(text),
  };
  return {
    drawn,
    screen,
    time,
    progress: liveProgress(screen, clock, answered),
    pass: async (ms: number): Promise<void> => {
      now += ms;
      wake.resolve();
      wake = Promise.withResolvers();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

const { events } = play(spec([task('a'), task('b', { depends_on: ['a'] })]), () => ({ output: 1 }));

const stateAfter = (count: number): JobState =>
  events.slice(0, count).reduce((state, event) => jobFold.evolve(state, event), jobFold.initial());

const step = (state: JobState) => ({ state, events: [], at: state.accepted_at });

const asking = (): JobState => ({
  ...stateAfter(3),
  asks: [{ request: 'a.1.0', task: 0, key: '' as never, question: 'Which\u001b[2J?\nOr none?', at: 0 }],
});

describe('the live view', () => {
  it('draws soon what came right after a drawing, though nothing comes after it', async () => {
    const { drawn, progress, pass } = scene();
    progress.show(step(stateAfter(1)));
    progress.show(step(stateAfter(events.length)));
    expect(drawn.join('')).not.toContain('completed');
    await pass(50);
    expect(drawn.at(-1)).toContain('2/2 tasks');
    await pass(50);
    expect(drawn).toHaveLength(2);
    await progress[Symbol.asyncDispose]();
  });

  it('has a clock that goes on, from the time that it is and not from that of the last event', async () => {
    const { drawn, progress, pass, time } = scene();
    progress.show(step(stateAfter(3)));
    await pass(1_000);
    expect(drawn.at(-1)).toContain('1.0 s');
    time.now = stateAfter(1).accepted_at + 60_000;
    await pass(1_000);
    expect(drawn.at(-1)).toContain('1 min 2 s');
    progress.show(step(stateAfter(events.length)));
    await progress[Symbol.asyncDispose]();
    expect(drawn.at(-1)).toContain('0.0 s');
  });

  it('makes way for what somebody else says, and is drawn anew below it', async () => {
    const { drawn, screen, progress } = scene();
    progress.show(step(stateAfter(3)));
    progress.aside(() => screen.write('lost\n'));
    await progress[Symbol.asyncDispose]();
    expect(drawn.slice(1)).toEqual([
      '\u001b[3A\u001b[0J',
      'lost\n',
      expect.stringContaining('a-job running'),
    ]);
  });

  it('goes up by as many lines as it drew, and shows the busy ones where there is no room for all', async () => {
    const { drawn, progress } = scene();
    progress.show(step(stateAfter(3)));
    await progress[Symbol.asyncDispose]();
    expect(drawn.at(-1)?.startsWith('\u001b[3A\u001b[2K')).toBe(true);
    const low = scene();
    low.screen.rows = 4;
    const many = play(spec(Array.from({ length: 9 }, (_, n) => task(`t${n}`))), () => ({ output: 1 }));
    const all = many.events.reduce((state, event) => jobFold.evolve(state, event), jobFold.initial());
    low.progress.show(step(all));
    await low.progress[Symbol.asyncDispose]();
    expect(low.drawn.at(-1)).toContain('and 9 more');
  });

  it('shows the end of what is said in a task under way, in one line, and no longer than that', async () => {
    const { drawn, progress, pass } = scene();
    progress.show(step(stateAfter(3)));
    const said = `One\u001b[2J\ntwo ${'and '.repeat(40)}\u202eend`;
    progress.hear({ kind: 'token-delta', task: 'a' as never, round: 1, step: 2, at: 0, text: said });
    await pass(50);
    const [line] = drawn.at(-1)?.match(/ {2}a: .*/) ?? [];
    expect(line).toMatch(/^ {2}a: ….* and \\u202eend$/);
    expect(line).toHaveLength(69);
    progress.show(step(stateAfter(events.length)));
    await progress[Symbol.asyncDispose]();
    expect(drawn.at(-1)).not.toContain('  a: ');
  });

  it('says how to answer whoever is not asked here, and draws over no question of whoever is', async () => {
    const watching = scene((request) => `foldmesh answer j ${request}`);
    watching.progress.show(step(asking()));
    await watching.progress[Symbol.asyncDispose]();
    expect(watching.drawn.at(-1)).toMatch(/\? Which\\u001b\[2J\?\n.* {2}foldmesh answer j a\.1\.0\n/);
    const asked = scene();
    asked.progress.show(step(asking()));
    await asked.pass(2_000);
    expect(asked.drawn).toEqual([]);
    asked.progress.show(step(stateAfter(events.length)));
    await asked.progress[Symbol.asyncDispose]();
    expect(asked.drawn.join('')).toContain('2/2 tasks');
  });
});
