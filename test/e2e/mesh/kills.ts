import { seededRandom } from '@foldmesh/embedded';
import type { Random } from '@foldmesh/ports';
import { systemRandom } from '@foldmesh/system';
import { expect } from 'vitest';
import { passing } from './outage.ts';
import type { MeshProcess, RealMesh } from './real-mesh.ts';

/** One process that was killed; `inHand`: messages that its kind had not acknowledged, `open`: jobs under way. */
export interface Kill {
  readonly name: string;
  readonly pid: number;
  /** When, in milliseconds UTC, and how long after all of its kind were ready. */
  readonly at: number;
  readonly afterMs: number;
  readonly inHand: number;
  readonly open: number;
}

/** A source of chance, and the seed that gives it again: `FOLDMESH_TEST_SEED`. */
export const seeded = (): { readonly seed: string; readonly random: Random } => {
  const seed = process.env['FOLDMESH_TEST_SEED'] ?? systemRandom.hex(4);
  return { seed, random: seededRandom(Number.parseInt(seed, 16)) };
};

/**
 * Kills one of these processes at a moment that nobody chose, and starts it again, as a cluster would; `count` times.
 * All have been ready for at most `momentMsMax` when one is killed: every kill may hit something, and hardly any task is
 * hit four times.
 */
export const killAtRandom = async (
  mesh: RealMesh,
  victims: readonly MeshProcess[],
  count: number,
  random: Random,
  { momentMsMax, open }: { readonly momentMsMax: number; readonly open: () => number },
): Promise<readonly Kill[]> => {
  const kills: Kill[] = [];
  for (let round = 0; round < count; round++) {
    const victim = victims[Math.floor(random.float() * victims.length)];
    if (victim === undefined) throw new Error('nobody to be killed');
    const afterMs = Math.round(random.float() * momentMsMax);
    for (const one of victims) await one.ready();
    await passing(afterMs);
    const inHand = await messagesInHand(mesh, victim.name);
    const child = victim.child();
    child.kill('SIGKILL');
    kills.push({ name: victim.name, pid: child.pid, at: Date.now(), afterMs, inHand, open: open() });
    expect(await child.ended).toBe('SIGKILL');
    await victim.start();
  }
  for (const victim of victims) await victim.ready();
  return kills;
};

interface Consumers {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly consumer_detail?: readonly { readonly name: string; readonly num_ack_pending: number }[];
    }[];
  }[];
}

/** What this kind of process has been given and has not acknowledged, as the server counts. */
export const messagesInHand = async ({ nats }: RealMesh, service: string): Promise<number> => {
  const answer = await fetch(`${nats.monitorUrl}/jsz?streams=1&consumers=1`);
  const { account_details = [] } = (await answer.json()) as Consumers; // as the server documents it
  return account_details
    .flatMap(({ stream_detail = [] }) => stream_detail)
    .flatMap(({ consumer_detail = [] }) => consumer_detail)
    .filter(({ name }) => name.startsWith(`${service}_`))
    .reduce((sum, { num_ack_pending }) => sum + num_ack_pending, 0);
};
