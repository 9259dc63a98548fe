import { ArtifactsQuery, JournalQuery, ListQuery, MessagesQuery, RecordQuery } from '@foldmesh/client';
import { answerInput } from './answer-input.ts';
import { getArtifact, listArtifacts } from './artifacts.ts';
import { cancelJob } from './cancel-job.ts';
import { getCatalogue } from './get-catalogue.ts';
import { getJob } from './get-job.ts';
import { getTask } from './get-task.ts';
import { getWhy } from './get-why.ts';
import { jobEvents } from './job-events.ts';
import { listJobs } from './list-jobs.ts';
import { type Operation, operation } from './operation.ts';
import { planJob } from './plan-job.ts';
import { readJournal } from './read-journal.ts';
import { submitJob } from './submit-job.ts';
import { taskMessages } from './task-messages.ts';

const location = { location: 'Where the job is.' };
const retryAfter = { 'retry-after': 'Seconds until there may be news; absent once the job has ended.' };

/** The whole API but for health and its own description, which need no tenant. */
export const operations: readonly Operation[] = [
  operation({
    method: 'post',
    path: '/v1/jobs',
    id: 'submitJob',
    summary: 'Submits a job. It is accepted once it is stored.',
    headers: {
      'idempotency-key':
        'Makes one job of all submits that carry it: a quoted string, or bare. The same key with another body is 422.',
    },
    body: { schema: 'JobSpec', required: true },
    answered: { status: 202, said: 'The job is stored.', schema: 'Accepted', headers: location },
    problems: [422, 429],
    answer: submitJob,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs',
    id: 'listJobs',
    summary: 'Lists jobs, the newest first, a page at a time.',
    query: ListQuery,
    answered: { status: 200, said: 'One page.', schema: 'JobPage' },
    answer: listJobs,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}',
    id: 'getJob',
    summary: 'The record of a job, with a page of its tasks.',
    query: RecordQuery,
    answered: { status: 200, said: 'The record.', schema: 'JobRecord', headers: retryAfter },
    problems: [404],
    answer: getJob,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/events',
    id: 'jobEvents',
    summary: 'The events of a job as they come, each with an id, until it has ended.',
    headers: { 'last-event-id': 'The last event that the reader has; it is told what came after.' },
    answered: {
      status: 200,
      said: 'Server-sent events: `event` is the kind and `data` a StreamEvent. `reset` has no id and gives the JobRecord when the reader’s place cannot be served, `live` has none and may be lost: its `data` is a TokenDelta, a piece of what a model says while it says it.',
      type: 'text/event-stream',
    },
    also: { 204: 'The reader has had the last event.' },
    problems: [404],
    answer: jobEvents,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/tasks/{task}',
    id: 'getTask',
    summary: 'One task, and what became of every attempt at it.',
    answered: { status: 200, said: 'The task.', schema: 'TaskDetail' },
    problems: [404],
    answer: getTask,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/tasks/{task}/messages',
    id: 'taskMessages',
    summary: 'What the agent at work on a task saw and said, in order.',
    query: MessagesQuery,
    answered: { status: 200, said: 'One page.', schema: 'RunMessages' },
    problems: [404],
    answer: taskMessages,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/journal',
    id: 'readJournal',
    summary: 'What was appended of a job, or of a run of it, and the state at a point of it.',
    query: JournalQuery,
    answered: { status: 200, said: 'One page.', schema: 'JournalPage' },
    problems: [404],
    answer: readJournal,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/why',
    id: 'getWhy',
    summary: 'Why a job does not go on, or why it ended.',
    answered: { status: 200, said: 'The causes, those first that others wait for.', schema: 'Why' },
    problems: [404],
    answer: getWhy,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/artifacts',
    id: 'listArtifacts',
    summary: 'What the tasks of a job have made and its record only refers to.',
    query: ArtifactsQuery,
    answered: { status: 200, said: 'One page.', schema: 'ArtifactPage' },
    problems: [404],
    answer: listArtifacts,
  }),
  operation({
    method: 'get',
    path: '/v1/jobs/{job}/artifacts/{digest}',
    id: 'getArtifact',
    summary: 'The content of one artifact.',
    headers: { 'if-none-match': 'What the caller has; the same again is 304.' },
    answered: { status: 200, said: 'The content.', headers: { etag: 'The digest, quoted.' } },
    also: { 304: 'The caller has it.' },
    problems: [404],
    answer: getArtifact,
  }),
  operation({
    method: 'post',
    path: '/v1/jobs/{job}/cancel',
    id: 'cancelJob',
    summary: 'Stops a job. However often it is asked, the answer is the same.',
    body: { schema: 'CancelRequest', required: false },
    answered: {
      status: 202,
      said: 'It has begun to stop, or had ended before.',
      schema: 'CancelReceipt',
      headers: location,
    },
    problems: [404],
    answer: cancelJob,
  }),
  operation({
    method: 'post',
    path: '/v1/jobs/{job}/inputs/{request}',
    id: 'answerInput',
    summary: 'Answers what a job asks a person. The first answer stands.',
    body: { schema: 'InputAnswer', required: true },
    answered: { status: 202, said: 'The job has taken it down.', schema: 'InputReceipt' },
    problems: [404, 409],
    answer: answerInput,
  }),
  operation({
    method: 'post',
    path: '/v1/plan',
    id: 'planJob',
    summary: 'What would be done with a job: checked and decided, and nothing stored.',
    body: { schema: 'JobSpec', required: true },
    answered: { status: 200, said: 'The plan.', schema: 'PlanPreview' },
    answer: planJob,
  }),
  operation({
    method: 'get',
    path: '/v1/catalogue',
    id: 'getCatalogue',
    summary: 'What jobs can use now.',
    answered: { status: 200, said: 'What the pools offer.', schema: 'CatalogueListing' },
    answer: getCatalogue,
  }),
];
