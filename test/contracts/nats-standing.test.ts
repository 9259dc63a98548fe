import { streamNames } from '@foldmesh/jetstream/internal';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { tellOfPause } from './bus-standing.ts';
import { natsScene } from './nats-scene.ts';
import { got } from './rig.ts';

const timeoutMs = 90_000;

describe.concurrent('the standing of a queue on a real server', { timeout: timeoutMs }, () => {
  it('says that an operator has paused its consumer, and until when', async () => {
    await using scene = await natsScene();
    const { consumers } = scene.raw.manager;
    await tellOfPause(scene.bench, async ({ service, pool, lane }, until) => {
      await consumers.pause(streamNames.work, `${service}_${pool}_${lane}`, new Date(until));
    });
  });

  it('says where it is, in the words that the command line of NATS takes', async () => {
    await using scene = await natsScene();
    const { make, ports } = scene.bench;
    const { place } = got(await ports.bus.standing(make.gateway));
    await using _ = got(await ports.bus.subscribe(make.gateway));
    const [stream = '', consumer = ''] = place.split(' ');
    expect((await scene.raw.manager.consumers.info(stream, consumer)).name).toBe(consumer);
  });

  it('says that the stream it lies in was sealed, or is full, by its name', async () => {
    await using scene = await natsScene({ topology: { doorMessagesMax: 1 } });
    const { make, ports } = scene.bench;
    const closed = async () => [
      got(await ports.bus.standing(make.gateway)).closed,
      got(await ports.bus.standing(make.manager('submit'))).closed,
    ];
    expect(await closed()).toEqual([undefined, undefined]);
    got(await ports.bus.publish(make.jobSubmit('c-1')));
    expect(await closed()).toEqual([undefined, 'MESH_SUBMIT is full: it holds 1 messages']);
    const { streams } = scene.raw.manager;
    const { config } = await streams.info(streamNames.work);
    const sealed = { ...config, sealed: true };
    await streams.update(streamNames.work, sealed);
    expect((await closed())[0]).toBe('MESH_WORK is sealed');
    expect(got(await ports.bus.filled())).toEqual({ share: 1, of: 'MESH_WORK (sealed)' });
  });

  it('does not count the pull of a process that has gone', async () => {
    await using scene = await natsScene();
    const { make, ports } = scene.bench;
    const other = await scene.open();
    await using subscription = got(await other.bus.subscribe(make.gateway));
    const over = new AbortController();
    const pulling = subscription.pull(1, over.signal);
    const pulls = async () => got(await ports.bus.standing(make.gateway)).pulls;
    await eventually(async () => (await pulls()) === 1);
    await other[Symbol.asyncDispose]();
    await eventually(async () => (await pulls()) === 0);
    over.abort();
    await pulling;
  });
});
