import { apiLimits, type JournalPage, type JournalQuery } from '@foldmesh/client';
import { JobId, type Json, ok, type Result, type TaskId } from '@foldmesh/envelope';
import { jobFold, planOf, taskWithId } from '@foldmesh/job';
import type { Entity } from '@foldmesh/ports';
import { runFold } from '@foldmesh/run';
import type { Fold } from '@foldmesh/runtime';
import type { z } from 'zod';
import type { Api, ApiCall } from './api-call.ts';
import { knownJob } from './job-state.ts';
import { eachEvent, entryPage } from './journal-entries.ts';
import { jsonAnswer } from './json-answer.ts';
import { faultProblem, invalidQuery, notFound, problem } from './problem.ts';
import { withholdThoughts } from './withhold-thoughts.ts';

type Query = z.output<typeof JournalQuery>;

/** The entries of a job, or of one of its runs, as they were appended; and, where it is asked for, the state at a point of it. */
export const readJournal = (call: ApiCall<Query>): Promise<Response> => {
  const { task } = call.query;
  return task === undefined ? jobJournal(call) : runJournal(call, task);
};

/** It is not folded to see whether it is there: a journal that this build cannot read to its end can be looked at. */
const jobJournal = async (call: ApiCall<Query>): Promise<Response> => {
  if (call.query.round !== undefined)
    return invalidQuery(call, [{ path: ['round'], message: 'means nothing without task' }]);
  const job = JobId.safeParse(call.param('job')).data;
  if (job === undefined) return notFound(call, 'job');
  const entity = { tenant: call.tenant, job };
  const last = await call.ports.journal.last(entity);
  if (!last.ok) return faultProblem(call, last.fault, job);
  if (last.value === undefined) return notFound(call, 'job');
  const page = await pageOf(call, jobFold, entity);
  return page.ok ? jsonAnswer<JournalPage>({ job, ...page.value }) : faultProblem(call, page.fault, job);
};

const runJournal = async (call: ApiCall<Query>, task: TaskId): Promise<Response> => {
  const known = await knownJob(call);
  if (known instanceof Response) return known;
  const { entity, loaded } = known;
  const ordinal = taskWithId(loaded.state, task);
  if (ordinal === undefined) return notFound(call, 'task');
  const { round = loaded.state.round, after } = call.query;
  const page = await pageOf(call, runFold, { ...entity, run: { task, round } });
  if (!page.ok) return faultProblem(call, page.fault, entity.job);
  // A task without a run has no journal: what became of it stands in the job's.
  if (page.value.entries.length === 0 && after === undefined)
    return noRun(call, entity.job, task, planOf(loaded.state, ordinal).run.kind);
  return jsonAnswer<JournalPage>({ job: entity.job, task, round, ...page.value });
};

/** Only what an agent does has a journal; a person who asks for another's is told where to look. */
const noRun = (call: ApiCall<Query>, job: JobId, task: TaskId, kind: string): Response =>
  kind === 'agent'
    ? notFound(call, 'run')
    : problem(call, {
        status: 404,
        code: 'not_found',
        title: `A ${kind} has no journal of its own`,
        detail: `what became of it is in its task, /v1/jobs/${job}/tasks/${task}`,
      });

type Page = Pick<JournalPage, 'entries' | 'next' | 'state' | 'at'>;

const pageOf = async <S, E>(
  { ports, query }: ApiCall<Query>,
  fold: Fold<S, E>,
  entity: Entity,
): Promise<Result<Page>> => {
  const { after, limit = apiLimits.pageDefault, at } = query;
  const from = after === undefined ? 0 : after + 1;
  const read = await entryPage({ ports }, entity, { from, limit });
  if (!read.ok) return read;
  const folded = at === undefined ? ok({}) : await stateAt({ ports }, fold, entity, at);
  if (!folded.ok) return folded;
  const { more } = read.value;
  const entries = read.value.entries.map((entry) => ({
    ...entry,
    events: entry.events.map(withholdThoughts),
  }));
  const last = more ? entries.at(-1) : undefined;
  return ok({ entries, ...(last && { next: last.seq }), ...folded.value });
};

/** The fold of the first `count` events; of fewer where there are no more, and `at` says how many. */
const stateAt = async <S, E>(
  stores: Pick<Api, 'ports'>,
  fold: Fold<S, E>,
  entity: Entity,
  count: number,
): Promise<Result<Pick<Page, 'state' | 'at'>>> => {
  let state = fold.initial();
  const told = await eachEvent(
    stores,
    fold,
    entity,
    (event) => {
      state = fold.evolve(state, event);
    },
    { count },
  );
  return told.ok ? ok({ state: state as Json, at: told.value }) : told; // states are plain data
};
