import {
  type Draft,
  type Envelope,
  type Instant,
  invariant,
  type Json,
  type Outcome,
  type Run,
  type TaskResult,
  type Usage,
} from '@foldmesh/envelope';
import { type JobType, jobDecider } from '../decider.ts';
import type { JobEvent } from '../events.ts';
import type { JobState } from '../state.ts';
import { failed, partsOf, settle, start, submit, timer } from './envelopes.ts';
import { type JobDecider, type TestHost, testHost } from './host.ts';
import { testCatalogue } from './test-catalogue.ts';
import { carry, inputOf, probesOf, type Shelf, taskOf } from './worker-side.ts';

/** What a scripted worker is asked: one task, its lookups already replaced. */
export interface Asked {
  readonly task: string;
  readonly attempt: number;
  readonly run: Run;
  readonly input: Json;
  readonly at: Instant;
}

/** What it says: an output or another outcome, after `ms` (10 unless it says otherwise), or nothing at all. */
export type Said =
  | { readonly output: Json; readonly ms?: number; readonly usage?: Usage }
  | { readonly outcome: Outcome; readonly ms?: number; readonly usage?: Usage }
  | 'silence';

export type Worker = (asked: Asked) => Said;

/** An envelope and when it arrives. */
export interface Mail {
  readonly at: Instant;
  readonly envelope: Envelope<JobType>;
}

export interface PlaySettings {
  readonly decider?: JobDecider;
  /** What comes from outside beside the submit. */
  readonly mail?: readonly Mail[];
  /** Called after each turn. */
  readonly watch?: (host: TestHost) => void;
}

/** A job as it went. */
export interface Played {
  readonly state: JobState;
  readonly events: readonly JobEvent[];
  /** Assignments in the order in which they went out. */
  readonly assigns: readonly Assign[];
  /** What the worker was asked, in the order in which it was. */
  readonly asked: readonly Asked[];
  readonly shelf: Shelf;
}

export interface Assign {
  readonly draft: Draft<'task.assign'>;
  readonly at: Instant;
  readonly tasks: readonly string[];
}

/** Plays a whole job against a worker that always has a free slot; time passes only as the worker says. */
export const play = (job: Json, worker: Worker, settings: PlaySettings = {}): Played => {
  const decider = settings.decider ?? jobDecider(testCatalogue());
  const host = testHost(decider);
  const mail: Mail[] = [{ at: start, envelope: submit(job) }, ...(settings.mail ?? [])];
  const stage: Stage = { assigns: [], asked: [], shelf: new Map(), sent: new Set(), worker };
  for (let at = start; !decider.ended(host.state); ) {
    const next = takeNext(mail, decider.wakeAt(host.state));
    invariant(next !== undefined, 'M10: the job goes on, and waits for nothing');
    at = Math.max(at, next.at);
    for (const { draft } of host.turn([next.envelope], at).due) mail.push(...answered(stage, draft, at));
    settings.watch?.(host);
  }
  const { assigns, asked, shelf } = stage;
  return { state: host.state, events: host.log, assigns, asked, shelf };
};

/** The mail that comes first, or the timer where that is sooner. */
const takeNext = (mail: Mail[], wake: Instant | undefined): Mail | undefined => {
  const first = mail.reduce<Mail | undefined>(
    (soonest, one) => (soonest === undefined || one.at < soonest.at ? one : soonest),
    undefined,
  );
  if (wake !== undefined && (first === undefined || wake < first.at))
    return { at: wake, envelope: timer(wake) };
  if (first !== undefined) mail.splice(mail.indexOf(first), 1);
  return first;
};

interface Stage {
  readonly assigns: Assign[];
  readonly asked: Asked[];
  readonly shelf: Shelf;
  readonly sent: Set<string>;
  readonly worker: Worker;
}

/** Carries an assignment out in order, up to the first task that does not complete. A re-send meets its original. */
const answered = (stage: Stage, draft: Draft, at: Instant): Mail[] => {
  const name = `${draft.type} ${draft.key} ${draft.attempt}`;
  if (draft.type !== 'task.assign' || stage.sent.has(name)) return [];
  stage.sent.add(name);
  stage.assigns.push({ draft, at, tasks: draft.payload.tasks.map(({ key }) => taskOf(key)) });
  const made = new Map<string, Json>();
  const results: TaskResult[] = [];
  let clock = at;
  for (const { part, attempt } of partsOf(draft.payload, draft.attempt)) {
    const task = taskOf(part.key);
    const found = inputOf(part, draft.payload, made, stage.shelf);
    const said =
      'missing' in found
        ? invalid(found.missing)
        : ask(stage, { task, attempt, run: part.run, input: found.input, at: clock });
    if (said === 'silence') return [];
    const outcome =
      'outcome' in said ? said.outcome : { kind: 'done' as const, output: carry(said.output, stage.shelf) };
    const times = { started_at: clock, ended_at: clock + (said.ms ?? 10) };
    const usage = said.usage === undefined ? {} : { usage: said.usage };
    const probed = 'output' in said ? probesOf(part, said.output) : {};
    results.push({ key: part.key, attempt, outcome, worker: 'worker-1', ...times, ...usage, ...probed });
    clock = times.ended_at;
    if (!('output' in said)) break;
    made.set(task, said.output);
  }
  return [{ at: clock, envelope: settle(draft.key, ...results) }];
};

const invalid = (missing: string): Said => ({ outcome: failed('invalid', missing), ms: 0 });

const ask = (stage: Stage, asked: Asked): Said => {
  stage.asked.push(asked);
  return stage.worker(asked);
};
