import { TaskId, tokenPattern } from '@foldmesh/envelope';
import { JobStatus, WaitReason } from '@foldmesh/job';
import { z } from 'zod';
import { apiLimits } from './api-limits.ts';

/** The longest name of a label, `=`, and its longest value. */
const labelLengthMax = 63 + 1 + 256;

/** What a number in a query is, for the document: the schema itself only sees text. */
const integer = (minimum: number, maximum: number, description: string) =>
  ({ type: 'integer', minimum, maximum, description }) as const;

const count = (max: number, what: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a number from 1 to ${max}`)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .optional()
    .meta(integer(1, max, what));

/** Milliseconds since 1970 UTC, however it was written. */
const Moment = z
  .union(
    [z.string().regex(/^\d{1,15}$/), z.iso.datetime({ offset: true })],
    'must be milliseconds since 1970 UTC, or a time in ISO 8601 with its offset',
  )
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)));

/** What a list may be asked for; all of it must hold. Several statuses, or reasons, are alternatives. */
export const ListQuery = z.strictObject({
  status: z.array(JobStatus).optional().describe('one of these'),
  label: z
    .array(z.string().max(labelLengthMax).regex(/=/, 'a label is written as name=value'))
    .optional()
    .describe('name=value; each of them'),
  name: z
    .string()
    .regex(
      /^([A-Za-z0-9_.-]{1,128}|[A-Za-z0-9_.-]{0,128}\*)$/,
      'must be a name, or the beginning of one and *',
    )
    .optional()
    .describe('the whole name, or its beginning and *'),
  wait: z.array(WaitReason).optional().describe('what the job waits for is one of these'),
  created_after: Moment.optional().describe('milliseconds since 1970 UTC, or ISO 8601'),
  created_before: Moment.optional().describe('milliseconds since 1970 UTC, or ISO 8601'),
  limit: count(apiLimits.jobsPageMax, 'jobs in one page'),
  cursor: z
    .string()
    .regex(new RegExp(`^\\d{1,15}\\.${tokenPattern}$`), 'no such page')
    .optional()
    .describe('the `next` of the page before'),
});
export type ListQuery = z.output<typeof ListQuery>;

export const RecordQuery = z.strictObject({
  tasks_after: TaskId.optional().describe('the last task of the page before'),
  tasks_limit: count(apiLimits.tasksPageMax, 'tasks in one page'),
});

const round = count(1_000_000, 'of the run; its last one where it is left out');
const limit = count(apiLimits.pageMax, 'how many in one page');

/** Sequence of a journal entry, or ordinal of an event. */
const ordinal = (what: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a number')
    .transform(Number)
    .optional()
    .meta(integer(0, Number.MAX_SAFE_INTEGER, what));

export const JournalQuery = z.strictObject({
  task: TaskId.optional().describe('the journal of this task’s run, instead of the job’s own'),
  round,
  at: ordinal('also the state as it was after so many events'),
  after: ordinal('the `next` of the page before'),
  limit,
});

export const MessagesQuery = z.strictObject({
  round,
  after: ordinal('the `next` of the page before'),
  limit,
});

export const ArtifactsQuery = z.strictObject({
  after: TaskId.optional().describe('the `next` of the page before'),
  limit,
});
