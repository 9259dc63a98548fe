import type { JobState } from '@foldmesh/job';
import { expect } from 'vitest';
import type { Check, Ending } from './ending.ts';
import { endings } from './jobs.ts';

/** What holds at the end of every scenario, whatever happened in it. */
export const sound: Check = ({ jobs, defects, deaths, sleepersLeft }) => {
  expect(defects).toEqual([]);
  // M3: whatever was started has ended; nothing runs that nobody awaits.
  if (deaths.length === 0) expect(sleepersLeft, 'timers left').toBe(0);
  for (const [name, { state, events, entries, strayed }] of jobs) {
    // M1: at most one terminal state, and nothing after it.
    const terminal = events.flatMap(({ kind }, index) => (endings.includes(kind) ? [index] : []));
    expect(terminal.length, `${name}: terminal events`).toBeLessThanOrEqual(1);
    if (terminal.length === 1)
      expect(terminal[0], `${name}: something happened after its end`).toBe(events.length - 1);
    // M4: no task is left under way below a job that has ended.
    if (state.ended_at !== undefined)
      expect(
        state.tasks.filter(({ status }) => underWay.includes(status)),
        `${name}: tasks under way`,
      ).toEqual([]);
    // M8: what an entry carries is what its events make, and time never goes back.
    expect(strayed, `${name}: entries with another state`).toEqual([]);
    const times = entries.map(({ at }) => at);
    expect(times, `${name}: times`).toEqual(times.toSorted((a, b) => a - b));
  }
};

const underWay: readonly string[] = ['pending', 'ready', 'running', 'waiting'];

/** Every job has its terminal state, and no message is left anywhere. */
export const everyJobEnds: Check = ({ jobs, backlog }) => {
  expect(jobs.size).toBeGreaterThan(0);
  for (const [name, { state }] of jobs) expect(state.ended_at, `${name} is ${state.status}`).toBeDefined();
  expect(backlog, 'messages nobody has acked').toBe(0);
};

export const stateOf = ({ jobs }: Ending, job = 'job-1'): JobState => {
  const told = jobs.get(job);
  if (told === undefined) throw new Error(`${job} was never submitted`);
  return told.state;
};

/** The job's status, and its end reason where one is given. */
export const ends =
  (job: string, status: JobState['status'], reason?: string): Check =>
  (ending) => {
    const state = stateOf(ending, job);
    const why = `${job}: ${state.end_reason} ${state.fault?.kind}: ${state.fault?.detail}`;
    expect(state.status, why).toBe(status);
    if (reason !== undefined) expect(state.end_reason, why).toBe(reason);
  };

export const allComplete: Check = (ending) => {
  for (const name of ending.jobs.keys()) ends(name, 'completed', 'goal')(ending);
};

/** M2 for what may be asked twice: each intended effect is one row, whatever it took. */
export const oneWitnessRowPerEffect: Check = ({ witness }) => {
  const rows = new Map<string, number>();
  for (const { id } of witness.rows) rows.set(id, (rows.get(id) ?? 0) + 1);
  expect(witness.runs.size).toBeGreaterThan(0);
  for (const id of witness.runs.keys()) expect([id, rows.get(id)]).toEqual([id, 1]);
};

/** M2 for what may not: never twice, and a job that does not say that an outcome is unknown has each exactly once. */
export const unsafeOnceOrUnknown: Check = ({ jobs, witness }) => {
  for (const { id } of witness.rows.filter(({ effect }) => effect === 'unsafe'))
    expect(witness.rowsOf(id).length, `rows of ${id}`).toBe(1);
  for (const [name, { state }] of jobs) {
    if (state.status === 'completed') continue;
    expect(state.end_reason, `${name}: ${state.fault?.detail}`).toBe('unknown');
  }
};

/** What was planned to die has died: else the scenario has shown nothing. */
export const died =
  (...names: readonly string[]): Check =>
  ({ deaths }) =>
    expect(deaths).toEqual(names);

export const noDeadLetters: Check = ({ letters }) => {
  expect(letters.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([]);
};

/** Each dead letter once, by a part of its reason, in any order. */
export const deadLetters =
  (...reasons: readonly string[]): Check =>
  ({ letters }) => {
    expect(letters.length, letters.map(({ reason }) => reason).join('\n')).toBe(reasons.length);
    for (const reason of reasons)
      expect(letters.filter((letter) => letter.reason.includes(reason)).length, reason).toBe(1);
  };
