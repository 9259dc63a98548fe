import { expect, it } from 'vitest';
import { type RealMesh, realMesh } from './mesh/real-mesh.ts';

const timeout = 300_000;
const rounds = 10;
const width = 20;

interface Said {
  readonly status: number;
  readonly job: string;
}

/** Sends a job that says `n`, to one manager or the other. */
const send = async ({ clients }: RealMesh, at: number, key: string, n: number): Promise<Said> => {
  const response = await fetch(`${clients[at % clients.length]?.url}/v1/jobs`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({
      name: 'echo',
      plan: { tasks: [{ id: 'a', skill: 'debug.echo', input: n }], result: '${tasks.a.output}' },
    }),
  });
  const { id, job } = (await response.json()) as { readonly id?: string; readonly job?: string }; // the accepted job's id, or the job of a problem
  return { status: response.status, job: id ?? job ?? '' };
};

it('a key is one job, whatever is sent under it to two managers at once', { timeout }, async () => {
  await using mesh = await realMesh({ managers: 2, workers: 1 });
  for (let round = 0; round < rounds; round++) {
    const key = `k-${round}`;
    const all = await Promise.all(
      Array.from({ length: width }, (_, at) => send(mesh, at, key, Math.floor(at / 2) % 2)),
    );
    expect(new Set(all.map(({ job }) => job)).size).toBe(1);
    const job = all[0]?.job ?? '';
    const { result } = await mesh.client.ended(job);
    // Who sent what runs was accepted at both doors, and who sent the other was told so at both.
    expect(all.map(({ status }) => status)).toEqual(
      all.map((_, at) => (Math.floor(at / 2) % 2 === result ? 202 : 422)),
    );
    const later = await Promise.all([0, 1].map((at) => send(mesh, at, `"${key}"`, Number(result))));
    expect(later).toEqual([0, 1].map(() => ({ status: 202, job })));
  }
});
