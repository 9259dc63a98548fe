import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { expectAllDone } from './mesh/expect-settled.ts';
import { linkedMesh } from './mesh/linked-mesh.ts';
import { expectReasons, passing } from './mesh/outage.ts';
import { isFull, outageTimeout, restartAgainAndAgain, restarts } from './mesh/outage-form.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { type Trouble, underLoad } from './mesh/under-load.ts';

const awayMs = isFull ? 60_000 : 5_000;
const holeMs = isFull ? 15_000 : 8_000;
const timeout = outageTimeout;

describe('a mesh whose NATS server', () => {
  it('is stopped and killed again and again goes on each time, in the same processes', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const trouble: Trouble = async (recovery) => {
      await restartAgainAndAgain(mesh.nats, recovery);
    };
    await underLoad(mesh, `nats restarted ${restarts} times`, trouble, expectAllDone);
  });

  it('is away for long says so, turns jobs away in time, and goes on when it is back', {
    timeout,
  }, async () => {
    await using mesh = await realMesh({ workers: 2 });
    const trouble: Trouble = async (recovery, load) => {
      await mesh.nats.kill();
      const away = passing(awayMs);
      await expectReasons(mesh, /nats/i);
      await eventually(() => load.told.some(({ answer }) => answer?.status === 503), { withinMs: 30_000 });
      const ready = await mesh.client.get('/readyz');
      expect([ready.status, JSON.stringify(ready.body)]).toEqual([503, expect.stringMatching(/nats/i)]);
      for (const { healthUrl } of mesh.all) expect((await fetch(`${healthUrl}/livez`)).status).toBe(200);
      await away;
      await mesh.nats.restart();
      await recovery.probe();
    };
    await underLoad(mesh, `nats away for ${awayMs} ms`, trouble, expectAllDone);
  });

  it('keeps every connection and passes nothing is missed in time, and found again', {
    timeout,
  }, async () => {
    await using linked = await linkedMesh();
    const { mesh, link } = linked;
    const trouble: Trouble = async (recovery) => {
      link.blackHole();
      const away = passing(holeMs);
      await expectReasons(mesh, /nats/i);
      await away;
      await link.mend();
      await recovery.probe();
    };
    await underLoad(mesh, `nats a black hole for ${holeMs} ms`, trouble, expectAllDone);
  });
});
