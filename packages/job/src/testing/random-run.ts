import {
  type Carried,
  type Draft,
  type Envelope,
  FaultKind,
  type Instant,
  type Json,
  type Outcome,
  type TaskPart,
  type TaskResult,
} from '@foldmesh/envelope';
import type { Choices } from '@foldmesh/ports/internal';
import type { JobType } from '../decider.ts';
import {
  cancel,
  carried,
  failed,
  partsOf,
  settle,
  start,
  stopped,
  submit,
  timer,
  unknown,
} from './envelopes.ts';
import { type JobDecider, type TestHost, type Turn, testHost } from './host.ts';
import { carry, probesOf } from './worker-side.ts';

/** Called after each turn with what it was. */
export type Watch = (host: TestHost, turn: Turn) => void;

/** More turns than any random job takes, unless it turns in a circle. */
const turnsMax = 3_000;

/**
 * Plays a job in a world where answers come in any order, again, late, from two executions of one assignment or not at
 * all, several to one turn, with cancels and timers in between. Ends with the job, or throws when that does not end.
 */
export const randomRun = (decider: JobDecider, job: Json, draw: Choices, watch: Watch): TestHost => {
  const host = testHost(decider);
  const world: World = { draw, waiting: [], sent: new Set(), answered: [], said: [] };
  let at = start;
  let envelopes: readonly Envelope<JobType>[] = [submit(job)];
  for (let turns = 0; turns < turnsMax; turns++) {
    const turn = host.turn(envelopes, at);
    watch(host, turn);
    for (const { draft } of turn.due) take(world, draft);
    if (decider.ended(host.state)) return lateMail(world, host, job, at, watch);
    at += draw.chance(20) ? draw.below(400) : 0;
    envelopes = Array.from({ length: draw.chance(20) ? 2 + draw.below(3) : 1 }, () =>
      happening(world, job, at),
    ).flat();
    if (envelopes.length === 0) {
      at = Math.max(at, decider.wakeAt(host.state) ?? at);
      envelopes = [timer(at)];
    }
  }
  throw new Error(`the job did not end in ${turnsMax} turns`);
};

type Assigned = Draft<'task.assign'>;

interface World {
  readonly draw: Choices;
  /** Out and without an answer. */
  readonly waiting: Assigned[];
  readonly sent: Set<string>;
  readonly answered: Assigned[];
  readonly said: Envelope<JobType>[];
}

const take = (world: World, draft: Draft): void => {
  const name = `${draft.type} ${draft.key} ${draft.attempt}`;
  if (draft.type !== 'task.assign' || world.sent.has(name)) return;
  world.sent.add(name);
  if (!world.draw.chance(2)) world.waiting.push(draft);
};

/** The next thing to arrive; plainest: the oldest assignment is answered, and all of it done. */
const happening = (world: World, job: Json, at: Instant): Envelope<JobType>[] => {
  const { draw, said, answered, waiting } = world;
  if (draw.chance(12) && said.length > 0) return [said[draw.below(said.length)] ?? timer(at)];
  // Two workers had it, and each answers.
  if (draw.chance(8) && answered.length > 0) return answer(world, answered[draw.below(answered.length)], at);
  if (draw.chance(4))
    return [
      draw.oneOf<Envelope<JobType>>([timer(at), submit(job, 'c-9'), timer(at), timer(at), cancel('enough')]),
    ];
  const [next] = waiting.splice(draw.below(Math.max(1, waiting.length)), 1);
  if (next !== undefined) answered.push(next);
  return answer(world, next, at);
};

const answer = ({ draw, said }: World, draft: Assigned | undefined, at: Instant): Envelope<JobType>[] => {
  if (draft === undefined) return [];
  const results: TaskResult[] = [];
  for (const { part, attempt } of partsOf(draft.payload, draft.attempt)) {
    const { outcome, ...more } = outcomeOf(draw, part);
    const ms = draw.below(80);
    results.push({
      key: part.key,
      attempt,
      outcome,
      worker: 'worker-1',
      started_at: at,
      ended_at: at + ms,
      ...more,
    });
    // A worker that drains says what it has done, and hands the rest back.
    if (outcome.kind !== 'done' || draw.chance(5)) break;
  }
  const envelope = draw.chance(3) ? unread(draft, results) : settle(draft.key, ...results);
  said.push(envelope);
  return [envelope];
};

/** From a host that could not read what it was given: it knows the key of the assignment alone. */
const unread = (draft: Assigned, [first]: readonly TaskResult[]): Envelope<JobType> => {
  const times = {
    worker: 'worker-2',
    started_at: first?.started_at ?? start,
    ended_at: first?.ended_at ?? start,
  };
  return settle(draft.key, {
    key: draft.key,
    attempt: draft.attempt,
    outcome: failed('invalid', 'not JSON'),
    ...times,
  });
};

const outcomeOf = (draw: Choices, part: TaskPart): Pick<TaskResult, 'outcome' | 'probed' | 'usage'> => {
  const kind = draw.below(100);
  if (kind >= 99) return { outcome: unknown('files.write', 'no answer came back') };
  if (kind >= 96) return { outcome: stopped };
  if (kind >= 93) return { outcome: failed('unavailable', 'past its deadline', { source: 'expired' }) };
  if (kind >= 80) return { outcome: randomFault(draw), usage: { tool_calls: draw.below(3) } };
  const value: Json = draw.chance(10)
    ? { other: 1 }
    : { list: Array.from({ length: draw.below(5) }, (_, at) => at) };
  const output: Carried = draw.chance(20) ? carry({ ...value, long: 'x'.repeat(300) }, new Map()) : { value };
  return { outcome: carried(output), usage: { tool_calls: draw.below(3) }, ...probesOf(part, value) };
};

const randomFault = (draw: Choices): Outcome => {
  const [first = 'unavailable', ...others] = FaultKind.options;
  const kind = draw.oneOf([first, ...others]);
  return failed(kind, `it was ${kind}`, draw.chance(50) ? { retry_after_ms: draw.below(300) } : {});
};

/** After the end: everything that was ever said comes once more, and changes nothing. */
const lateMail = (world: World, host: TestHost, job: Json, at: Instant, watch: Watch): TestHost => {
  for (const envelope of [...world.said, cancel('late', 'c-7'), submit(job), timer(at)])
    watch(host, host.turn([envelope], at + 1));
  return host;
};
