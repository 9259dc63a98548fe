export { allServices } from './all.ts';
export { type ExitCode, exitCodes, type Shell } from './command.ts';
export { runProgram } from './program.ts';
export type { Screen } from './screen.ts';
