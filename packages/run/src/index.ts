export { Agent, type AgentInput, answerTool, RunTool } from './agent.ts';
export type { Agents } from './decide.ts';
export { type RunType, runDecider, runFold, runTypes } from './decider.ts';
export { RunEvent, type RunEventOf, readRunEvent } from './events.ts';
export { groupDueAt } from './follow.ts';
export { carriedBy, historyOf, type Message, resultText, type Unresolved } from './history.ts';
export { nextOfRun } from './next.ts';
export { runStandingOf } from './standing.ts';
export { type RunState, type RunStatus, runEnded } from './state.ts';
