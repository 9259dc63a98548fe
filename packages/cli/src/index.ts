export { allServices } from './all.ts';
export type { ExitCode, Shell } from './command.ts';
export { jobFeed, type Step } from './job-feed.ts';
export { runProgram } from './program.ts';
export { type Progress, progressOn, type Screen } from './progress.ts';
