import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Drained, drained, isDraining, submitAll } from './mesh/drains.ts';
import { oneErrand } from './mesh/errands.ts';
import { openEvents, readEvents } from './mesh/event-reader.ts';
import { expectNothingPending } from './mesh/expect-settled.ts';
import { messagesInHand, seeded } from './mesh/kills.ts';
import { mixedJob } from './mesh/mixed-jobs.ts';
import { mixedLoad } from './mesh/mixed-load.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';
import { reckon } from './mesh/reckoning.ts';
import { slowPost } from './mesh/slow-post.ts';

const timeout = 300_000;

/** What short calls are done within on a busy machine too, and long ones never. */
const graceMs = 8_000;

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** What is stopped and started while jobs run is as if it had not been. */
const mixedOn = ({ client }: RealMesh) => {
  const { seed, random } = seeded();
  process.stdout.write(`FOLDMESH_TEST_SEED=${seed}\n`);
  return mixedLoad(client, 5, (at) => mixedJob(at, () => 50 + Math.round(random.float() * 350)));
};

describe('under load', () => {
  it('a manager that is told to end answers what it has in hand, ends its streams, and its jobs go on after it', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2, environment: { FOLDMESH_GRACE_MS: '20000' } });
    const { client, manager } = mesh;
    const load = mixedOn(mesh);
    await eventually(() => load.open() >= 4, { withinMs: 30_000 });
    const job = oneErrand('watched', { count: 10, ms: 400, tool: 'unsafe' });
    const id = await client.submit(job.spec, job.name);
    await eventually(async () => (await mesh.rows()).some(({ effect }) => effect === 'watched/0'), {
      withinMs: 20_000,
    });
    const streams = await Promise.all(many(20, () => openEvents(client.url, id)));
    // In hand in two ways: one whose body is still on its way, and some that have just come.
    const slow = oneErrand('slow', { count: 1, ms: 10, tool: 'unsafe' });
    const quick = many(10, (at) => oneErrand(`quick-${at}`, { count: 1, ms: 10, tool: 'unsafe' }));
    const late = await slowPost(`${client.url}/v1/jobs`, slow.spec, slow.name);
    const posts = await Promise.all(
      quick.map(({ name, spec }) => slowPost(`${client.url}/v1/jobs`, spec, name)),
    );
    const answers = posts.map((post) => post.finish());
    const leave = drained(manager);
    await isDraining(manager);
    answers.push(late.finish());
    const { how, ms } = await leave;
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    process.stdout.write(
      `the manager left within ${ms} ms; POSTs in hand were answered ${statuses.join(', ')}\n`,
    );
    expect(how).toBe(0);
    expect(ms).toBeLessThan(15_000);
    for (const status of statuses) expect([202, 503]).toContain(status);
    const heard = await Promise.all(streams.map(({ whole }) => whole));
    for (const { ids, hasRetry } of heard) {
      expect(ids.length).toBeGreaterThan(0);
      expect(hasRetry).toBe(true);
    }
    await manager.start();
    await manager.ready();
    const ended = await submitAll(client, [slow, ...quick]);
    const all = [...(await load.stop()), { job, record: await client.ended(id) }, ...(await ended())];
    const came = reckon(all, await mesh.rows());
    expect(came.completed).toBe(came.jobs);
    // Whoever comes back with the last id has every event, each once.
    const whole = await readEvents(client.url, id);
    const rest = await readEvents(client.url, id, heard[0]?.ids.at(-1));
    expect([...(heard[0]?.ids ?? []), ...rest.ids]).toEqual(whole.ids);
    await expectNothingPending(mesh);
  });

  it('a gateway that is told to end ends what is short; an unsafe effect that is long is done or unknown, once', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2, environment: { FOLDMESH_GRACE_MS: String(graceMs) } });
    const { gateway } = mesh;
    const short = many(3, (at) => oneErrand(`short-${at}`, { count: 1, ms: 3_000, tool: 'unsafe' }));
    const keyed = many(3, (at) => oneErrand(`keyed-${at}`, { count: 1, ms: 20_000, tool: 'keyed' }));
    const long = many(3, (at) => oneErrand(`long-${at}`, { count: 1, ms: 20_000, tool: 'unsafe' }));
    const inHand = (count: number) =>
      eventually(async () => (await messagesInHand(mesh, 'tool-gateway')) === count, { withinMs: 30_000 });
    const longEnded = await submitAll(mesh.client, [...keyed, ...long]);
    await inHand(6);
    // Last, so that they have not ended before all are in hand.
    const shortEnded = await submitAll(mesh.client, short);
    await inHand(9);
    const { pid } = gateway.child();
    const { how, ms } = await drained(gateway);
    expect(how).toBe(0);
    expect(ms).toBeLessThan(graceMs + 8_000);
    await gateway.start();
    const all = [...(await shortEnded()), ...(await longEnded())];
    const rows = await mesh.rows();
    const came = reckon(all, rows, { mayBeUnknown: true });
    process.stdout.write(`the gateway left within ${ms} ms; ${JSON.stringify(came)}\n`);
    const statusOf = (name: string) => all.find(({ job }) => job.name === name)?.record.status;
    const pidOf = (name: string) => rows.find(({ effect }) => effect === `${name}/0`)?.pid;
    for (const { name } of short) expect([statusOf(name), pidOf(name)]).toEqual(['completed', pid]);
    for (const { name } of keyed)
      expect([statusOf(name), pidOf(name)]).toEqual(['completed', gateway.child().pid]);
    for (const { name } of long) expect([statusOf(name), pidOf(name)]).toEqual(['failed', undefined]);
    await expectNothingPending(mesh);
  });

  it('memory that is told to end loses and doubles no fact', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const { client, memory } = mesh;
    const count = 40;
    const names = many(6, (at) => `notes-${at}`);
    const ids = await Promise.all(
      names.map((name) => {
        const task = { id: 'run', skill: 'test.notes', input: { name, count } };
        const plan = { tasks: [task], result: '${tasks.run.output.texts}' };
        return client.submit({ name, plan }, name);
      }),
    );
    const left: Drained[] = [];
    for (let round = 0; round < 2; round++) {
      await eventually(async () => (await messagesInHand(mesh, 'memory')) > 0, {
        withinMs: 30_000,
        everyMs: 2,
      });
      left.push(await drained(memory));
      await memory.start();
      await memory.ready();
    }
    for (const [at, name] of names.entries()) {
      const { status, result, fault } = await client.ended(ids[at] ?? '');
      expect({ status, fault }).toEqual({ status: 'completed', fault: undefined });
      expect(result).toEqual(many(count, (step) => `${name}/${step}`).toSorted());
    }
    expect(left.map(({ how }) => how)).toEqual([0, 0]);
    process.stdout.write(`memory left within ${left.map(({ ms }) => ms).join(', ')} ms\n`);
    await expectNothingPending(mesh);
  });

  it('every process can be replaced, one after the other', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const load = mixedOn(mesh);
    await eventually(() => load.open() >= 4, { withinMs: 30_000 });
    const left: string[] = [];
    for (const one of mesh.all) {
      const open = load.open();
      const { how, ms } = await drained(one);
      left.push(`${one.name} ${how} after ${ms} ms with ${open} jobs open`);
      expect(how).toBe(0);
      await one.start();
      await one.ready();
    }
    const came = reckon(await load.stop(), await mesh.rows());
    process.stdout.write(`${left.join('; ')}; ${JSON.stringify(came)}\n`);
    expect(came.jobs).toBeGreaterThan(10);
    expect(came.completed).toBe(came.jobs);
    await expectNothingPending(mesh);
  });
});
