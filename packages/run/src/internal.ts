export { agent, testAgents } from './testing/agents.ts';
export {
  answers,
  assign,
  cancels,
  done,
  failed,
  type Mail,
  modelFails,
  modelSays,
  modelStopped,
  paused,
  runKey,
  settles,
  start,
  stopped,
  taskKey,
  toCall,
  unknown,
  wakes,
} from './testing/envelopes.ts';
export { randomRun, type Seen } from './testing/random-run.ts';
export { type Given, type RunDecider, storyOf, type Told } from './testing/story.ts';
