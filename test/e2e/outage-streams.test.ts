import { eventually } from '@foldmesh/testbed';
import { expect, it } from 'vitest';
import { errandJob } from './mesh/errand-load.ts';
import { expectAllDone } from './mesh/expect-settled.ts';
import { natsRequest } from './mesh/nats-request.ts';
import { expectReasons } from './mesh/outage.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { streamStates } from './mesh/stream-state.ts';
import { underLoad } from './mesh/under-load.ts';

// What was queued is found missing after half a minute.
it('finds queued work again in its journal when the queue is deleted behind its back', {
  timeout: 300_000,
}, async () => {
  await using mesh = await realMesh({ workers: 2 });
  const long = await mesh.client.submit(errandJob('long', 2_000), 'long');
  await underLoad(
    mesh,
    'the queues were deleted',
    async (recovery) => {
      for (const stream of ['MESH_WORK', 'MESH_SUBMIT'])
        expect(await natsRequest(mesh.nats, `$JS.API.STREAM.DELETE.${stream}`, {})).toMatchObject({
          success: true,
        });
      await recovery.probe();
      expect(Object.keys(await streamStates(mesh.nats))).toEqual(
        expect.arrayContaining(['MESH_WORK', 'MESH_SUBMIT']),
      );
    },
    (_, accepted) => expectAllDone(mesh, new Map([...accepted, ['long', long]])),
  );
});

it('says that its journal is gone, and makes no other in silence', { timeout: 300_000 }, async () => {
  await using mesh = await realMesh({ workers: 1 });
  await mesh.client.ended(await mesh.client.submit(errandJob('first'), 'first'));
  expect(await natsRequest(mesh.nats, '$JS.API.STREAM.DELETE.MESH_JOURNAL', {})).toMatchObject({
    success: true,
  });
  await eventually(
    async () => {
      const { status, body } = await mesh.client.get('/readyz');
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/journal/i)]);
    },
    { withinMs: 30_000 },
  );
  const { status } = await mesh.client.post('/v1/jobs', errandJob('second'), {
    'idempotency-key': 'second',
  });
  await expectReasons(mesh, /MESH_JOURNAL|journal/);
  expect(status).not.toBe(202);
  expect(Object.keys(await streamStates(mesh.nats))).not.toContain('MESH_JOURNAL');
});
