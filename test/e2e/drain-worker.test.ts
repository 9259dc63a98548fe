import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { drained, isDraining, submitAll } from './mesh/drains.ts';
import { errandChain, oneErrand } from './mesh/errands.ts';
import { expectNothingPending } from './mesh/expect-settled.ts';
import type { EndedJob } from './mesh/mixed-load.ts';
import { passing } from './mesh/outage.ts';
import { type ErrandRun, type MeshProcess, type RealMesh, realMesh } from './mesh/real-mesh.ts';
import { reckon } from './mesh/reckoning.ts';

const timeout = 300_000;
const graceMs = 6_000;
/** How long a delivery is held that nobody gives back: what is handed over is begun long before. Milliseconds. */
const ackWaitMs = 8_000;
/** Within this another worker has begun what the one that ends had not, on a busy machine too. Milliseconds. */
const takenMsMax = 5_000;

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const report = (what: string, all: readonly number[]): void => {
  const sorted = all.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  process.stdout.write(`${what}: median ${median} ms, longest ${sorted.at(-1)} ms of ${sorted.length}\n`);
};

/** Jobs that come one after the other, and how long after its submit each was begun. */
const submitLate = async (mesh: RealMesh) => {
  const jobs = many(12, (at) => oneErrand(`late-${at}`, { count: 1, ms: 50, tool: 'unsafe' }));
  const submitted: { readonly name: string; readonly at: number }[] = [];
  const ends: (() => Promise<readonly EndedJob[]>)[] = [];
  for (const job of jobs) {
    submitted.push({ name: job.name, at: Date.now() });
    ends.push(await submitAll(mesh.client, [job]));
  }
  return {
    ended: async () => (await Promise.all(ends.map((end) => end()))).flat(),
    begunMs: (runs: readonly ErrandRun[]): readonly number[] =>
      submitted.map(({ name, at }) => (runs.find((run) => run.name === name)?.at ?? Number.NaN) - at),
  };
};

/** The worker that has begun the most, and the other. */
const byBusyness = ({ workers }: RealMesh, runs: readonly ErrandRun[]) => {
  const begun = (one: MeshProcess): number => runs.filter(({ pid }) => pid === one.child().pid).length;
  const [leaving, staying] = workers.toSorted((one, other) => begun(other) - begun(one));
  if (leaving === undefined || staying === undefined) throw new Error('two workers are needed');
  return { leaving, staying };
};

describe('a busy worker that is told to end', () => {
  it('hands over what it has not begun, ends what is short, and hands back what is long', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({
      workers: 2,
      environment: {
        FOLDMESH_GRACE_MS: String(graceMs),
        FOLDMESH_ACK_WAIT_MS: String(ackWaitMs),
        FOLDMESH_WORKER_SLOTS: '40',
        FOLDMESH_GATEWAY_SLOTS: '64',
      },
    });
    const chains = many(14, (at) =>
      errandChain(`chain-${at}`, 8, { count: 1, ms: 800, tool: at % 2 === 0 ? 'keyed' : 'unsafe' }),
    );
    const short = many(6, (at) => oneErrand(`short-${at}`, { count: 2, ms: 1_000, tool: 'unsafe' }));
    const long = many(6, (at) => oneErrand(`long-${at}`, { count: 16, ms: 1_000, tool: 'keyed' }));
    const unsafe = many(4, (at) => oneErrand(`long-unsafe-${at}`, { count: 2, ms: 8_000, tool: 'unsafe' }));
    const ended = await submitAll(mesh.client, [...chains, ...short, ...long, ...unsafe]);
    await eventually(
      async () => new Set((await mesh.runs()).map(({ name }) => name.split('/')[0])).size === 30,
      { withinMs: 30_000 },
    );
    const before = await mesh.runs();
    const { leaving, staying } = byBusyness(mesh, before);
    const { pid } = leaving.child();
    const leave = drained(leaving);
    const said = isDraining(leaving).then(() => Date.now());
    const late = await submitLate(mesh);
    const { how, at: told, ms } = await leave;
    const jobs = [...(await ended()), ...(await late.ended())];
    expect(how).toBe(0);
    expect(ms).toBeLessThan(graceMs + 8_000);

    const came = reckon(jobs, await mesh.rows());
    expect(came.completed).toBe(came.jobs);
    const runs = await mesh.runs();
    // Nothing was begun there once it had heard of it; what was on its way counts as begun.
    const heardAt = (await said) + 250;
    const begunLate = runs.filter((run) => run.pid === pid && run.at > heardAt);
    expect(begunLate).toEqual([]);

    const other = staying.child().pid;
    const startsOf = (name: string): readonly ErrandRun[] => runs.filter((run) => run.name === name);
    const handedOver = chains.flatMap(({ name }) => {
      const here = before.filter((run) => run.pid === pid && run.name.startsWith(`${name}/`)).length;
      const next = runs.find((run) => run.pid === other && run.name.startsWith(`${name}/`));
      return here === 0 || next === undefined ? [] : [next.at - told];
    });
    report('unstarted tasks of chains begun elsewhere, after the signal', handedOver);
    expect(handedOver.length).toBeGreaterThanOrEqual(3);
    for (const taken of handedOver) expect(taken).toBeLessThan(takenMsMax);
    report('jobs that came while it ended, begun after their submit', late.begunMs(runs));
    for (const taken of late.begunMs(runs)) expect(taken).toBeLessThan(takenMsMax);

    const shortHere = short.filter(({ name }) => startsOf(name)[0]?.pid === pid);
    expect(shortHere.length).toBeGreaterThan(0);
    for (const { name } of shortHere) expect(startsOf(name).map((run) => run.pid)).toEqual([pid]);

    const longHere = [...long, ...unsafe].filter(({ name }) => startsOf(name)[0]?.pid === pid);
    expect(longHere.length).toBeGreaterThan(0);
    for (const { name } of longHere) expect(startsOf(name).map((run) => run.pid)).toEqual([pid, other]);
    const handedBack = longHere.map(({ name }) => (startsOf(name)[1]?.at ?? 0) - told - graceMs);
    report('long tasks begun elsewhere, after the grace time', handedBack);
    for (const taken of handedBack) expect(taken).toBeLessThan(takenMsMax);
    // The call that was under way answers who has gone; its result is found all the same, and long before it is asked for again.
    const endedMs = longHere.map(({ name }) => {
      const { record } = jobs.find(({ job }) => job.name === name) ?? {};
      return (record?.ended_at ?? Number.NaN) - told;
    });
    report('long tasks ended elsewhere, after the signal', endedMs);
    for (const taken of endedMs) expect(taken).toBeLessThan(25_000);
    await expectNothingPending(mesh);
  });

  it('leaves the queue to the other, which goes on at once', { timeout }, async () => {
    await using mesh = await realMesh({
      workers: 2,
      environment: { FOLDMESH_WORKER_SLOTS: '3', FOLDMESH_ACK_WAIT_MS: String(ackWaitMs) },
    });
    const [leaving, staying] = mesh.workers;
    const jobs = many(60, (at) => oneErrand(`queued-${at}`, { count: 1, ms: 500, tool: 'unsafe' }));
    const ended = await submitAll(mesh.client, jobs);
    if (leaving === undefined || staying === undefined) throw new Error('two workers are needed');
    const { pid } = leaving.child();
    await eventually(async () => (await mesh.runs()).some((run) => run.pid === pid), { withinMs: 20_000 });
    const { how, at: told } = await drained(leaving);
    expect(how).toBe(0);
    const came = reckon(await ended(), await mesh.rows());
    expect(came).toMatchObject({ completed: 60, rows: 60 });
    const after = (await mesh.runs()).filter((run) => run.pid !== pid && run.at > told);
    expect(after.length).toBeGreaterThan(10);
    const gaps = after.map(({ at }, index) => at - (after[index - 1]?.at ?? told));
    report('between two starts from the queue of the one that stayed', gaps);
    for (const gap of gaps) expect(gap).toBeLessThan(takenMsMax);
    const names = (await mesh.runs()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    await expectNothingPending(mesh);
  });

  it('ends at once when it is told a second time, and its work is done elsewhere', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2, environment: { FOLDMESH_GRACE_MS: '30000' } });
    const jobs = many(4, (at) => oneErrand(`twice-${at}`, { count: 20, ms: 500, tool: 'unsafe' }));
    const ended = await submitAll(mesh.client, jobs);
    await eventually(async () => new Set((await mesh.runs()).map(({ pid }) => pid)).size === 2, {
      withinMs: 20_000,
    });
    const [leaving] = mesh.workers;
    if (leaving === undefined) throw new Error('a worker is needed');
    const first = drained(leaving);
    await isDraining(leaving);
    // Two signals within a moment are one: a group may pass them on.
    await passing(500);
    leaving.child().kill('SIGTERM');
    const { how, ms } = await first;
    expect(how).toBe(143);
    expect(ms).toBeLessThan(9_000);
    const came = reckon(await ended(), await mesh.rows());
    expect(came.completed).toBe(4);
    await expectNothingPending(mesh);
  });
});
