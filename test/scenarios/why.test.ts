import { catalogueSubject, sha256Hex } from '@foldmesh/envelope';
import { describe, expect } from 'vitest';
import { pool, type Run } from './mesh.ts';
import { askWhy, causeIn, kill, sleeping, story, submit } from './why-hands.ts';

describe('why a job does not go on', () => {
  story(
    'names the pool that nobody is in, since when, and what it would need',
    {},
    kill('worker-1'),
    submit([sleeping('a', 10)]),
    async (run) => {
      const cause = await causeIn(run, 'no_worker');
      expect(cause).toMatchObject({ task: 'a', on: 'worker.default' });
      expect(cause.text).toMatch(
        /^task a waits for worker\.default, where nobody is: it was last heard \d+ s ago; 1 message left there; it needs skill debug\.sleep$/,
      );
      expect(cause.next).toBe('start a worker with FOLDMESH_POOL=default');
    },
  );

  story(
    'names what nobody in a pool has any more, though somebody is there',
    { workers: 0 },
    async (run) => {
      await run.start('worker-1', { pipelines: { digest: [{ render: { ref: 'x', output_keys: ['x'] } }] } });
      await run.clock.sleep(2_000);
      await kill('worker-1')(run);
    },
    submit([{ id: 'a', pipeline: 'digest', input: {} }]),
    async (run) => {
      await run.clock.sleep(30_000);
      await run.start('worker-2');
      const cause = await causeIn(run, 'no_worker', ({ text }) => text.includes('any more'));
      expect(cause.text).toContain('nobody has pipeline digest any more');
      expect(cause.next).toBe('start a worker with FOLDMESH_POOL=default that offers pipeline digest');
    },
  );

  story(
    'says whose hands a task is in',
    {},
    submit([sleeping('a', 30_000)]),
    async (run) => {
      const cause = await causeIn(run, 'call', ({ on }) => on !== 'worker.default');
      expect(cause.on).toMatch(/^worker\.default-[0-9a-f]{8}$/);
      expect(cause.text).toMatch(/^task a is in hand at worker\.default-[0-9a-f]{8}, asked \d+ m?s ago$/);
      expect(cause.until).toBeGreaterThan(run.clock.now());
    },
    kill('worker-1'),
    async (run) => {
      const silent = await causeIn(run, 'call', ({ text }) => text.includes('fell silent'));
      expect(silent.text).toMatch(
        /^task a waits for whoever takes it over: it was in hand at worker\.default-/,
      );
      // That nobody takes over for want of a worker says more.
      const absent = await causeIn(run, 'no_worker');
      expect(absent.text).toMatch(
        /where nobody is: .*; it was in hand at worker\.default-\w+, which fell silent: /,
      );
      await run.start('worker-2');
      const again = await causeIn(run, 'call', ({ text }) => text.includes('without a word'));
      expect(again.text).toContain('1 try before it ended without a word');
    },
  );

  story(
    'says that all slots are taken, how many are in hand and how many wait',
    { slots: 2 },
    submit(
      Array.from({ length: 6 }, (_, n) => sleeping(`t${n}`, 60_000)),
      { split: 'always' },
    ),
    async (run) => {
      const cause = await causeIn(run, 'no_slot');
      expect(cause).toMatchObject({ on: 'worker.default', count: 4 });
      expect(cause.text).toContain('2 in hand and 4 waiting, at most 3 of them before it');
      expect(cause.text).toContain('one process there has 2 slots');
      expect(cause.next).toBe('start more of worker.default, or raise FOLDMESH_WORKER_SLOTS');
    },
  );

  story(
    'goes through what depends on what to what really waits',
    {},
    kill('worker-1'),
    submit(
      [
        sleeping('a', 10),
        sleeping('b', 10, { depends_on: ['a'] }),
        sleeping('c', 10, { depends_on: ['b'] }),
        sleeping('d', 10, { depends_on: ['a'] }),
      ],
      { split: 'always' },
    ),
    async (run) => {
      const cause = await causeIn(run, 'dependency', ({ text }) => text.includes('nobody is'));
      expect(cause).toMatchObject({ on: 'a', next: 'start a worker with FOLDMESH_POOL=default' });
      expect(cause).toMatchObject({ chain: ['b', 'a'], count: 3, examples: ['b', 'c', 'd'] });
      expect(cause.text).toContain(
        'task b waits for a (and 2 more wait for the same): task a waits for worker',
      );
      // What the others wait for comes first.
      const { causes } = await askWhy(run);
      expect(causes.map(({ reason }) => reason)).toEqual(['no_worker', 'dependency']);
    },
  );

  story(
    'says when the next attempt is, which it is, and how the last one ended',
    {},
    submit([
      { id: 'a', skill: 'debug.fail', input: { fault: 'throttled', times: 4 }, retry: { attempts: 5 } },
    ]),
    async (run) => {
      const cause = await causeIn(run, 'retry', ({ text }) => text.includes('attempt 4'));
      expect(cause).toMatchObject({ task: 'a', on: 'a' });
      expect(cause.text).toMatch(
        /^task a is tried again in .*, attempt 4 of at most 5: the last one ended with throttled: debug\.fail in attempt 3$/,
      );
      expect(cause.until).toBeGreaterThan(run.clock.now());
    },
  );

  story(
    'says which consumer is paused, and until when',
    {},
    async (run) => {
      run.doors.pause({ service: 'worker', pool, lane: 'call' }, run.clock.now() + 600_000);
    },
    submit([sleeping('a', 10)]),
    async (run) => {
      const cause = await causeIn(run, 'paused');
      expect(cause).toMatchObject({ task: 'a', on: 'worker/default/call' });
      expect(cause.text).toContain('it goes on in 9 min; 1 message waiting there');
      expect((cause.until ?? 0) - run.clock.now()).toBeGreaterThan(500_000);
      run.doors.pause({ service: 'worker', pool, lane: 'call' }, 0);
    },
    async (run) => {
      await causeIn(run, 'ended');
    },
  );

  story(
    'says that what was answered lies with a manager that does not read it',
    {},
    submit([sleeping('a', 2_000)]),
    async (run) => {
      await causeIn(run, 'call');
      await run.shutDown('manager-1');
      const cause = await causeIn(run, 'no_worker');
      expect(cause.on).toMatch(/^manager shard \d+$/);
      expect(cause.text).toContain('no manager reads');
      const ended = await causeIn(run, 'call', ({ text }) => text.includes('has ended (done)'));
      expect(ended).toMatchObject({ task: 'a', on: 'manager' });
    },
  );

  story(
    'says that a pool reads no such version as the manager writes',
    {},
    async (run) => {
      await run.shutDown('worker-1');
      await run.clock.sleep(30_000);
      const at = run.clock.now();
      const name = 'debug.sleep';
      const offers = [{ kind: 'skill', name, digest: sha256Hex(name) }];
      const older = { service: 'worker', pool, slots: 4, reads: { 'tool.call': 1 }, offers, at };
      await run.ports.index.put(catalogueSubject('worker', pool, 'older'), older);
      await run.clock.sleep(2_000);
    },
    submit([sleeping('a', 10)]),
    async (run) => {
      const cause = await causeIn(run, 'build');
      expect(cause).toMatchObject({
        task: 'a',
        on: 'worker.default',
        next: 'finish the rollout of worker.default',
      });
      expect(cause.text).toContain(
        'this manager writes task.assign in version 1, and worker.default reads no such type',
      );
    },
  );

  story(
    'says that the dedup store is away, and still what else it knows',
    {},
    submit([sleeping('a', 60_000)]),
    async (run) => {
      await causeIn(run, 'call');
      const away = { ok: false, fault: { kind: 'unavailable', detail: 'redis is not reachable' } } as const;
      const inbox = { ...run.ports.inbox, generation: async () => away, peek: async () => away };
      const blind: Run = { ...run, ports: { ...run.ports, inbox } };
      const { causes } = await askWhy(blind);
      expect(causes[0]).toMatchObject({ reason: 'storage', on: 'inbox', next: 'foldmesh doctor' });
      expect(causes[0]?.text).toContain('the dedup store is away');
      expect(causes[0]?.text).toContain('(redis is not reachable)');
      expect(causes.some(({ task }) => task === 'a')).toBe(true);
    },
  );

  story(
    'groups what is alike: a thousand children are a few causes',
    { slots: 1 },
    submit([
      sleeping('each', 60_000, {
        for_each: Array.from({ length: 1_000 }, (_, n) => n),
        concurrency: 3,
        input: { ms: 60_000, n: `\${item}` },
      }),
      sleeping('sum', 10, { depends_on: ['each'] }),
    ]),
    async (run) => {
      const waits = await causeIn(run, 'concurrency');
      expect(waits).toMatchObject({ on: 'each', count: 997, next: 'raise concurrency of each in the job' });
      expect(waits.examples).toHaveLength(5);
      const { causes, left_out } = await askWhy(run);
      expect(causes.length).toBeLessThanOrEqual(5);
      expect(left_out).toBe(0);
      const behind = causes.filter(({ reason }) => reason === 'dependency');
      expect(behind.flatMap(({ task, count = 1 }) => [task, count])).toEqual(['each', 2]);
    },
  );
});
