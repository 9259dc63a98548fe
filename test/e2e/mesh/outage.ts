import { eventually } from '@foldmesh/testbed';
import { expect } from 'vitest';
import { type Load, submitOnce } from './errand-load.ts';
import type { Answer } from './mesh-client.ts';
import type { RealMesh } from './real-mesh.ts';

/** What a busy machine may add to a time that is promised. */
const noiseMs = 15_000;
/** What a fresh job may take from the moment that a server is back. */
const recoveryMsMax = 15_000 + noiseMs;

/** How long a job took that came at the moment of a return, in milliseconds; one that takes too long fails. */
export interface Recoveries {
  readonly ms: readonly number[];
  /** Submits a job now and waits for its end; it counts among the accepted ones. */
  probe(): Promise<number>;
  /** The names and ids of the probes. */
  readonly accepted: ReadonlyMap<string, string>;
}

export const recoveries = (mesh: RealMesh): Recoveries => {
  const ms: number[] = [];
  const accepted = new Map<string, string>();
  return {
    ms,
    accepted,
    probe: async () => {
      const began = performance.now();
      const left = (): number => Math.max(1, recoveryMsMax - (performance.now() - began));
      const name = `probe-${ms.length}`;
      const id = await eventually(
        async () => {
          const { answer, wrong } = await submitOnce(mesh.client, name);
          if (answer?.status !== 202) throw new Error(`${name}: ${wrong ?? JSON.stringify(answer)}`);
          return (answer.body as { readonly id: string }).id; // as the API documents it
        },
        { withinMs: left(), everyMs: 200 },
      );
      accepted.set(name, id);
      const { status } = await mesh.client.ended(id, left());
      expect({ name, status }).toEqual({ name, status: 'completed' });
      ms.push(performance.now() - began);
      return ms.at(-1) ?? 0;
    },
  };
};

/** What went on for so long while a server was away. */
export const passing = async (ms: number): Promise<void> => {
  const began = performance.now();
  await eventually(() => performance.now() - began >= ms, { withinMs: ms + 30_000, everyMs: 50 });
};

/** Every process says, within the time of a readiness probe or two, that this server is what it lacks. */
export const expectReasons = (mesh: RealMesh, server: RegExp, withinMs = 15_000 + noiseMs): Promise<void> =>
  eventually(
    async () => {
      for (const { name, reasons } of mesh.all)
        expect({ name, reasons: (await reasons()).join('; ') }).toEqual({
          name,
          reasons: expect.stringMatching(server),
        });
    },
    { withinMs, everyMs: 100 },
  );

/** What the API says of a job while it cannot take it: come again, and when. */
export const expectTurnedAway = ({ status, retryAfter, body }: Answer): void => {
  expect([429, 503]).toContain(status);
  expect(Number(retryAfter)).toBeGreaterThan(0);
  expect(body).toMatchObject({
    status,
    type: expect.stringMatching(/^urn:foldmesh:problem:/),
    title: expect.any(String),
    code: expect.any(String),
    retryable: true,
  });
};

/** Nobody who asked was left without an answer, and whoever was not accepted was told to come again. */
export const expectNobodyHung = ({ told }: Load): void => {
  for (const { name, answer, wrong } of told) {
    expect({ name, wrong }).toEqual({ name, wrong: undefined });
    if (answer !== undefined && answer.status !== 202) expectTurnedAway(answer);
  }
};

/** For people: what was measured. */
export const report = (what: string, { ms }: Recoveries, { told, accepted }: Load): void => {
  const sorted = ms.toSorted((a, b) => a - b).map(Math.round);
  const refused = told.filter(({ answer }) => answer?.status !== 202);
  const slowest = Math.round(Math.max(0, ...refused.map((one) => one.ms)));
  process.stdout.write(
    `${what}: recovery median ${sorted[Math.floor(sorted.length / 2)]} ms, longest ${sorted.at(-1)} ms ` +
      `of ${sorted.length} (${ms.map(Math.round).join(', ')}); ${accepted.size} jobs, ` +
      `${refused.length} answers "come again", the slowest after ${slowest} ms\n`,
  );
};
