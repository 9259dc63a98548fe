import { ratioOf, spreadOf } from '../measure/spread.ts';
import { cpuText } from '../report/cpu-text.ts';
import { figure, type PartReport, type Ratio, spreadText } from '../report/part-report.ts';
import { tasksPerJob } from './job-mesh.ts';
import { type JobsMeasured, type JobsRound, tasksPerSecond } from './jobs.ts';

/** What the goals compare: as many processes that do work, and the least that each of them promises. */
const pairs = {
  ours: 'foldmesh, 1 worker, bus, split always',
  two: 'foldmesh, 2 workers, bus, split always',
  api: 'foldmesh, 1 worker, api, split auto',
  bull: 'BullMQ flows, 1 worker',
  bullTwo: 'BullMQ flows, 2 workers',
  synced: 'foldmesh, 1 worker, bus, split always, sync always, AOF everysec',
  bullSynced: 'BullMQ flows, 1 worker, AOF always',
  restate: 'Restate, 10 calls joined',
  restateUnsynced: 'Restate, 10 calls joined, not synced',
} as const;

export const jobsReport = ({ contenders, rounds, missing }: JobsMeasured): PartReport => {
  const of = (name: string, what: (round: JobsRound) => number): readonly number[] =>
    (rounds.get(name) ?? []).map(what);
  const p50 = (round: JobsRound) => round.p50;
  const ratio = (
    name: string,
    over: string,
    under: string,
    what: (round: JobsRound) => number,
    goal?: string,
  ): Ratio => ({
    name,
    spread: ratioOf(of(over, what), of(under, what)),
    ...(goal !== undefined && { goal }),
  });
  return {
    part: 'jobs',
    ratios: [
      ratio('tasks per second / BullMQ flows', pairs.ours, pairs.bull, tasksPerSecond, '≥ 0.8'),
      ratio('tasks per second, 2 workers / BullMQ, 2 workers', pairs.two, pairs.bullTwo, tasksPerSecond),
      ratio('tasks per second / Restate', pairs.ours, pairs.restate, tasksPerSecond, '≥ 2'),
      ratio('tasks per second, NATS synced / Restate', pairs.synced, pairs.restate, tasksPerSecond),
      ratio('tasks per second / Restate, not synced', pairs.ours, pairs.restateUnsynced, tasksPerSecond),
      ratio('tasks per second, NATS synced / BullMQ, synced', pairs.synced, pairs.bullSynced, tasksPerSecond),
      ratio('tasks per second through the API / Restate', pairs.api, pairs.restate, tasksPerSecond),
      ratio('p50 of a job / BullMQ flows', pairs.ours, pairs.bull, p50, '≤ 1.5'),
      ratio('p50 of a job through the API / BullMQ flows', pairs.api, pairs.bull, p50),
    ],
    tables: [
      {
        columns: ['system', 'tasks/s', 'jobs/s', 'p50 ms', 'p99 ms', 'processor ms per job'],
        rows: contenders.map(({ name }) => [
          name,
          spreadText(spreadOf(of(name, tasksPerSecond))),
          figure(spreadOf(of(name, ({ jobsPerSecond }) => jobsPerSecond)).median),
          spreadText(spreadOf(of(name, p50))),
          spreadText(spreadOf(of(name, ({ p99 }) => p99))),
          cpuText(rounds.get(name) ?? []),
        ]),
      },
    ],
    notes: [
      `A job is ${tasksPerJob} tasks that return their input and a merge of all; tasks per second counts the ${tasksPerJob}.`,
      ...contenders.map(({ name, durability, door }) => `${name}: ${durability}. ${door}.`),
      ...contenders.flatMap(({ name }) => countsText(name, rounds.get(name) ?? [])),
      ...(missing === undefined ? [] : [`BullMQ and Restate could not be had: ${missing}`]),
    ],
    charts: [
      {
        kind: 'bars',
        title: 'Jobs: tasks per second at saturation',
        unit: 'higher is better',
        bars: contenders.map(({ name }) => ({ name, spread: spreadOf(of(name, tasksPerSecond)) })),
      },
      {
        kind: 'bars',
        title: 'Jobs: p50 of a job at low load',
        unit: 'ms, lower is better',
        bars: contenders.map(({ name }) => ({ name, spread: spreadOf(of(name, p50)) })),
      },
    ],
    rounds: Object.fromEntries(rounds),
  };
};

/** Where the time of ours goes: what is stored for one job, and how often a store is asked. */
const countsText = (name: string, rounds: readonly JobsRound[]): readonly string[] => {
  const counted = Object.keys(rounds[0]?.counts ?? {})
    .map((what) => [what, spreadOf(rounds.map(({ counts }) => counts[what] ?? 0)).median] as const)
    .filter(([, count]) => count >= 0.1);
  if (counted.length === 0) return [];
  return [`${name}, for each job: ${counted.map(([what, count]) => `${figure(count)} ${what}`).join(', ')}.`];
};
