export { type JobType, jobDecider, jobFold, jobTypes, observedIn } from './decider.ts';
export { type DryRun, dryRun } from './dry-run.ts';
export { type EventOf, JobEvent, Receipt, readJobEvent, type StopReason } from './events.ts';
export { jobLimits } from './job-limits.ts';
export {
  InputRequest,
  JobRecord,
  TaskOutput,
  TaskRecord,
  Wait,
  WaitReason,
} from './job-record.ts';
export { meantText } from './known-fields.ts';
export {
  cutTemplate,
  type Lookup,
  lookupsIn,
  parseTemplate,
  readPath,
  render,
  wholeLookup,
} from './lookups.ts';
export { jobUntil, jobWakesAt, nextOfJob } from './next.ts';
export { checkJob, sayProblem } from './on-job-submit.ts';
export { expiredSource } from './on-task-settle.ts';
export { parseSpec } from './parse-spec.ts';
export type { Catalogue, Offer } from './plan/catalogue.ts';
export { pipelineSkill } from './plan/check.ts';
export { density } from './plan/density.ts';
export { PlanTask } from './plan/plan.ts';
export { Decision } from './plan/split.ts';
export { type Problem, problemsIn } from './problem.ts';
export { recordOf, resultOf, type TaskRange, taskRecord } from './record.ts';
export { JobSpec } from './spec.ts';
export { isAgentTask, standingOf } from './standing.ts';
export type { JobState } from './state.ts';
export { planOf, taskAt, taskIdOf, taskWithId } from './tasks.ts';
export { JobStatus, jobMoves, TaskStatus, taskEnded, taskMoves } from './transitions.ts';
export { jobWait, statusOf, waitChain, waitOf, waitRoots } from './wait.ts';
