import type { VirtualClock } from '@foldmesh/embedded';
import type { EmbeddedDoors } from '@foldmesh/embedded/internal';
import { type Json, ok, TenantId } from '@foldmesh/envelope';
import type { JobState } from '@foldmesh/job';
import type { Fact, Memory } from '@foldmesh/ports';
import { blobValues } from '@foldmesh/runtime';
import { command, ended, tell } from './jobs.ts';
import type { Death } from './life.ts';
import { type Mesh, openMesh, type Setup } from './mesh.ts';

/** Whatever dies is started anew after a second. */
export interface MemorySetup extends Setup {
  /** Where a memory service, or a worker, dies. */
  readonly deaths?: Readonly<Partial<Record<'memory' | 'worker', Death>>>;
}

/** A mesh as tests of memory see it, for several tenants. */
export interface MemoryMesh {
  readonly clock: VirtualClock;
  readonly doors: EmbeddedDoors;
  /** Of every fact that the service wrote to its store the id, each time. */
  readonly writes: readonly string[];
  readonly deaths: readonly string[];
  readonly defects: readonly string[];
  /** Runs a job of these tasks to its end. */
  run(tenant: string, job: string, tasks: readonly Json[]): Promise<Ended>;
  /** All facts of a tenant, as they lie in the store. */
  facts(tenant: string): Promise<readonly Fact[]>;
}

export interface Ended {
  readonly state: JobState;
  /** The job's fault, or nothing. */
  readonly why: string;
  readonly output: Json;
}

/** Plays one story over a mesh of its own, in virtual time. */
export const withMemory = (
  { deaths = {}, ...setup }: MemorySetup,
  seed: number,
  story: (mesh: MemoryMesh) => Promise<void>,
): Promise<void> => {
  const writes: string[] = [];
  const counted = (memory: Memory): Memory => ({
    ...memory,
    write: (fact) => {
      writes.push(fact.id);
      return memory.write(fact);
    },
  });
  const store = (memory: Memory): Memory => setup.store?.(counted(memory)) ?? counted(memory);
  const mesh = openMesh({ slots: 8, restartMs: 1_000, ...setup, store }, seed);
  for (const [name, death] of Object.entries(deaths)) mesh.fates.add(name, death);
  return mesh.clock.run(
    (async () => {
      await mesh.startAll();
      await story({
        clock: mesh.clock,
        doors: mesh.doors,
        writes,
        deaths: mesh.deaths,
        defects: mesh.defects,
        run: (tenant, job, tasks) => runJob({ ...mesh, tenant: TenantId.parse(tenant) }, job, tasks),
        facts: (tenant) => factsOf(mesh.facts, tenant),
      });
      await mesh.shutDownAll();
    })(),
  );
};

const runJob = async (mesh: Mesh, job: string, tasks: readonly Json[]): Promise<Ended> => {
  const spec = { name: 'a-job', plan: { tasks } };
  await command(mesh, job, { type: 'job.submit', payload: { spec } }, 'submit');
  await ended(mesh, job, new AbortController().signal);
  const { state } = await tell(mesh, job);
  const why = state.fault === undefined ? '' : `${state.fault.kind}: ${state.fault.detail}`;
  const last = state.tasks.at(-1)?.output;
  const values = blobValues(mesh.ports.blobs);
  const output = last === undefined ? ok(null) : await values.load(mesh.tenant, mesh.jobId(job), last);
  return { state, why, output: output.ok ? output.value : null };
};

const factsOf = async (memory: Memory, tenant: string): Promise<readonly Fact[]> => {
  for (;;) {
    const facts = await memory.query({ tenant: TenantId.parse(tenant), limit: 1_000 });
    if (facts.ok) return facts.value;
  }
};
