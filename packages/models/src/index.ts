export { historyProblems } from './history-problems.ts';
export { Script } from './script.ts';
export { scriptedModel } from './scripted-model.ts';
