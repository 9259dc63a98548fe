import { ratioOf, spreadOf } from '../measure/spread.ts';
import { figure, type PartReport, type Ratio, spreadText } from '../report/part-report.ts';
import type { HopRound } from './hop.ts';

const perSecond = (round: HopRound) => round.perSecond;

export const hopReport = (rounds: ReadonlyMap<string, readonly HopRound[]>): PartReport => {
  const all = [...rounds];
  const of = (name: string, what: (round: HopRound) => number): readonly number[] =>
    (rounds.get(name) ?? []).map(what);
  const ratio = (name: string, under: string, what: (round: HopRound) => number, goal?: string): Ratio => ({
    name,
    spread: ratioOf(of('ours', what), of(under, what)),
    ...(goal !== undefined && { goal }),
  });
  const host = (round: HopRound) => round.cpuUs['host'] ?? Number.NaN;
  return {
    part: 'hop',
    ratios: [
      ratio('messages per second, ours / bare', 'bare', perSecond, '≥ 0.5, aim 0.6'),
      ratio('messages per second, ours / bare with answered acks', 'bare, ack answered', perSecond),
      ratio('p50 at low load, ours / bare', 'bare', ({ p50 }) => p50),
      ratio('processor time of the host, ours / bare', 'bare', host),
    ],
    tables: [{ columns, rows: all.map(([name, rounds]) => rowOf(name, rounds)) }],
    notes: [
      'A round drains a full queue; then requests come 50 a second, and each is timed from before its publish to its answer.',
      'Streams on files at their default sync, Redis with an append-only file synced every second.',
      'The last columns are processor time for each message of the drain.',
    ],
    charts: [
      chart('Hop: messages per second', 'higher is better', all, perSecond),
      chart('Hop: p50 at low load', 'ms, lower is better', all, ({ p50 }) => p50),
    ],
    rounds: Object.fromEntries(all),
  };
};

const columns = ['hop', 'per second', 'p50 ms', 'p99 ms', 'host µs', 'nats µs', 'redis µs'];

const rowOf = (name: string, rounds: readonly HopRound[]): readonly string[] => [
  name,
  ...[perSecond, ({ p50 }: HopRound) => p50, ({ p99 }: HopRound) => p99].map((what) =>
    spreadText(spreadOf(rounds.map(what))),
  ),
  ...['host', 'nats', 'redis'].map((process) =>
    figure(spreadOf(rounds.map(({ cpuUs }) => cpuUs[process] ?? Number.NaN)).median),
  ),
];

const chart = (
  title: string,
  unit: string,
  all: readonly (readonly [string, readonly HopRound[]])[],
  what: (round: HopRound) => number,
) => ({
  kind: 'bars' as const,
  title,
  unit,
  bars: all.map(([name, own]) => ({ name, spread: spreadOf(own.map(what)) })),
});
