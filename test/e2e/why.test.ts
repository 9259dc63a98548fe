import { type Cause, Why } from '@foldmesh/client';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { natsRequest } from './mesh/nats-request.ts';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';

const timeout = 300_000;

/** One worker has eight slots: of nine sleepers one waits. */
const sleepers = (count: number, ms: number) => ({
  name: 'sleepers',
  split: 'always',
  plan: {
    tasks: Array.from({ length: count }, (_, n) => ({ id: `t${n}`, skill: 'debug.sleep', input: { ms } })),
  },
});

/** The cause of this reason once there is one, as whoever asks the API again and again will see. */
const causeOf = (
  { client }: RealMesh,
  job: string,
  reason: Cause['reason'],
  is: (cause: Cause) => boolean = () => true,
): Promise<Cause> =>
  eventually(
    async () => {
      const { status, body } = await client.get(`/v1/jobs/${job}/why`);
      expect(status, JSON.stringify(body)).toBe(200);
      const { causes } = Why.parse(body);
      const found = causes.find((one) => one.reason === reason && is(one));
      if (found === undefined) throw new Error(JSON.stringify(causes));
      return found;
    },
    { withinMs: 60_000, everyMs: 250 },
  );

/** What `nats consumer pause` and `resume` ask for. Needs a server of 2.11. */
const pauseUntil = (mesh: RealMesh, place: string, until: Date): Promise<unknown> =>
  natsRequest(mesh.nats, `$JS.API.CONSUMER.PAUSE.${place.replace(' ', '.')}`, {
    pause_until: until.toISOString(),
  });

describe('why a job on real servers does not go on', () => {
  it('names an operator who has paused its pool, then whose hands it is in, and who is away', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 1 });
    const place = 'MESH_WORK worker_default_call';
    const hour = new Date(Date.now() + 3_600_000);
    expect(await pauseUntil(mesh, place, hour)).toMatchObject({ paused: true });
    const job = await mesh.client.submit(sleepers(9, 600_000));
    // They come there one after the other.
    const paused = await causeOf(mesh, job, 'paused', ({ count }) => count === 9);
    expect(paused).toMatchObject({
      on: place,
      until: hour.getTime(),
      count: 9,
      next: 'nats consumer resume MESH_WORK worker_default_call',
    });
    expect(paused.text).toContain('9 messages waiting there');

    await pauseUntil(mesh, place, new Date(0));
    const held = await causeOf(
      mesh,
      job,
      'call',
      ({ text, count }) => text.includes('is in hand at') && count === 8,
    );
    expect(held.on).toMatch(/^worker\.default-[0-9a-f]+$/);
    const full = '8 in hand and 1 waiting; one process there has 8 slots';
    await causeOf(mesh, job, 'no_slot', ({ text }) => text.includes(full));

    await mesh.redis.stop();
    const storage = await causeOf(mesh, job, 'storage', ({ on }) => on === 'inbox');
    expect(storage.text).toContain('the dedup store is away');
    await mesh.redis.restart();

    const [worker] = mesh.workers;
    worker?.child().kill('SIGKILL');
    const absent = await causeOf(mesh, job, 'no_worker');
    expect(absent).toMatchObject({ on: 'worker.default', next: 'start a worker with FOLDMESH_POOL=default' });
    expect(absent.text).toMatch(
      /where nobody is: it was last heard \d+ s ago; 9 messages left there; it needs skill/,
    );
    await worker?.start();
    const again = await causeOf(mesh, job, 'call', ({ text }) => text.includes('without a word'));
    expect(again.on).not.toBe(held.on);
  });

  it('names a stream that somebody has sealed', { timeout }, async () => {
    await using mesh = await realMesh({ workers: 1 });
    const job = await mesh.client.submit(sleepers(1, 600_000));
    await causeOf(mesh, job, 'call', ({ text }) => text.includes('is in hand at'));
    mesh.workers[0]?.child().kill('SIGKILL');
    const info = (await natsRequest(mesh.nats, '$JS.API.STREAM.INFO.MESH_WORK', {})) as {
      readonly config: object; // as the server documents it
    };
    const sealed = { ...info.config, sealed: true };
    await natsRequest(mesh.nats, '$JS.API.STREAM.UPDATE.MESH_WORK', sealed);
    await causeOf(mesh, job, 'storage', ({ on }) => on === 'MESH_WORK (sealed)');
    const cause = await causeOf(mesh, job, 'storage', ({ task }) => task === 't0');
    expect(cause).toMatchObject({ next: 'nats stream info MESH_WORK' });
    expect(cause.text).toContain('MESH_WORK is sealed');
  });
});
