import type { Digest, JobId, PoolName, TaskId, TenantId, WireId } from './ids.ts';
import type { ServiceName } from './party.ts';

// Where things lie that are no work: the journal, what is derived from it, and what belongs to a job beside it.

const root = 'mesh.v1';

/** Which run of a job: that of a task in a round. */
export interface RunPosition {
  readonly task: TaskId;
  readonly round: number;
}

/** A job, and one of its runs where it is about that. */
export interface JobPosition {
  readonly tenant: TenantId;
  readonly job: JobId;
  readonly run?: RunPosition;
}

/** Where a job's entries, or those of one of its runs, stand one after the other. */
export const journalSubject = ({ tenant, job, run }: JobPosition): string =>
  run === undefined
    ? `${root}.${tenant}.journal.${job}.job`
    : `${root}.${tenant}.journal.${job}.run.${run.task}.${run.round}`;

/** All entries of a job, those of its runs too. */
export const journalPattern = ({ tenant, job }: JobPosition): string => `${root}.${tenant}.journal.${job}.>`;

/** Whose entries stand on a subject of the journal. */
export const journalOf = (subject: string): JobPosition | undefined => positionIn('journal', subject);

/** What the subjects of all that pools offer begin with. */
export const catalogueRoot = `${root}.catalogue.`;

/** What a pool offers, or some of its processes: during a rollout there are several editions. */
export const catalogueSubject = (service: ServiceName, pool: PoolName, edition = '0'): string =>
  `${catalogueRoot}${service}.${pool}.${edition}`;

/** What every subject of the index begins with, the catalogue's too. */
export const indexRoot = `${root}.`;

/** What the index subjects of a tenant's jobs begin with. */
export const indexPrefix = (tenant: TenantId): string => `${root}.${tenant}.index.`;

/** What the index says of a job, or of one of its runs. */
export const indexSubject = ({ tenant, job, run }: JobPosition): string =>
  run === undefined
    ? `${indexPrefix(tenant)}${job}`
    : `${indexPrefix(tenant)}${job}.run.${run.task}.${run.round}`;

/** Of what job or run an index subject speaks. */
export const indexedAt = (subject: string): JobPosition | undefined => positionIn('index', subject);

/** Content of a job by its digest; a later part of content that is too large for one message has a token more. */
export const blobSubject = (tenant: TenantId, job: JobId, digest: Digest, part = 0): string =>
  part === 0 ? `${root}.${tenant}.blob.${job}.${digest}` : `${root}.${tenant}.blob.${job}.${digest}.${part}`;

/** A dead letter; `*` in the place of tenant, job or id stands for all of them. */
export const deadSubject = (tenant: string, job: string, id: WireId | '*'): string =>
  `${root}.${tenant}.dead.${job}.${id}`;

/** A job's subject ends in nothing or in `job`, a run's in `run.<task>.<round>`. */
const positionIn = (kind: 'journal' | 'index', subject: string): JobPosition | undefined => {
  const [mesh, version, tenant, is, job, what, task, round, ...more] = subject.split('.');
  if (`${mesh}.${version}` !== root || is !== kind || job === undefined || more.length > 0) return undefined;
  const of = { tenant: tenant as TenantId, job: job as JobId }; // as a host of ours wrote them
  if (task === undefined) return what === (kind === 'journal' ? 'job' : undefined) ? of : undefined;
  if (what !== 'run' || round === undefined || !/^\d+$/.test(round)) return undefined;
  return { ...of, run: { task: task as TaskId, round: Number(round) } }; // as a host of ours wrote it
};
