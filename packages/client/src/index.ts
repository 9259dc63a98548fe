export { TokenDelta } from '@foldmesh/envelope';
export {
  InputRequest,
  JobEvent,
  JobRecord,
  JobSpec,
  JobStatus,
  TaskRecord,
  TaskStatus,
  Wait,
  WaitReason,
} from '@foldmesh/job';
export { ApiError } from './api-error.ts';
export { apiLimits } from './api-limits.ts';
export { Artifact, ArtifactPage } from './artifact-list.ts';
export { CatalogueListing } from './catalogue-listing.ts';
export {
  type ClientSettings,
  type FoldmeshClient,
  foldmeshClient,
  type JobFilter,
  type JobListing,
  type Paging,
  type Submitting,
} from './client.ts';
export {
  Accepted,
  CancelReceipt,
  CancelRequest,
  InputAnswer,
  InputReceipt,
  PlanPreview,
} from './commands.ts';
export { Live, Ready } from './health.ts';
export type { Reading } from './job-events.ts';
export { JobPage, JobSummary } from './job-list.ts';
export { JournalEntry, JournalPage } from './journal-page.ts';
export { type ProblemCode, problemCodes } from './problem-codes.ts';
export { ProblemDetails, Wrong } from './problem-details.ts';
export { ArtifactsQuery, JournalQuery, ListQuery, MessagesQuery, RecordQuery } from './queries.ts';
export { RunMessage, RunMessages } from './run-messages.ts';
export { endsStream, placeOf, StreamEvent, type StreamStep } from './stream-event.ts';
export type { Fetch, Surroundings } from './surroundings.ts';
export { TaskAttempt, TaskDetail } from './task-detail.ts';
export { Cause, CauseReason, Why } from './why.ts';
