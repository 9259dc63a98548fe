export { type BookKeeping, bookKeeping, type InFlight } from './testing/book-keeping.ts';
export {
  cancel,
  carried,
  done,
  failed,
  jobKey,
  partsOf,
  result,
  settle,
  stopped,
  submit,
  taskKey,
  timer,
  unknown,
} from './testing/envelopes.ts';
export { type JobDecider, type TestHost, type Turn, testHost } from './testing/host.ts';
export {
  type Asked,
  type Mail,
  type Played,
  type PlaySettings,
  play,
  type Said,
  type Worker,
} from './testing/play.ts';
export { randomSpec } from './testing/random-plan.ts';
export { randomRun, type Watch } from './testing/random-run.ts';
export { look, spec, task } from './testing/specs.ts';
export { begun, type Given, storyOf, type Told } from './testing/story.ts';
export { type Stock, testCatalogue } from './testing/test-catalogue.ts';
export {
  bound,
  carry,
  inputOf,
  itemFrom,
  probesOf,
  type Shelf,
  taskOf,
  uncarry,
} from './testing/worker-side.ts';
