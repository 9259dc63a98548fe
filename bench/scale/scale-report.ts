import { spreadOf } from '../measure/spread.ts';
import { cpuText } from '../report/cpu-text.ts';
import {
  type Chart,
  figure,
  type Line,
  type PartReport,
  spreadText,
  type Table,
} from '../report/part-report.ts';
import { curveOf, type Grown, sizesRatio, spreadIn } from './grown.ts';
import { type JobShape, type JobSizeRound, type JobSizes, jobShapes } from './job-sizes.ts';
import type { RunLoadRound } from './run-loads.ts';
import type { ScaleMeasured } from './scale.ts';
import type { WorkersRound } from './worker-counts.ts';

const endMs = ({ ms }: JobSizeRound): number => ms;
const perTaskMs = (round: JobSizeRound): number => round.perTaskMs;
const perSecond = ({ tasksPerSecond }: WorkersRound): number => tasksPerSecond;
const loadMs = (round: RunLoadRound): number => round.loadMs;
const readMs = (round: RunLoadRound): number => round.readMs;

export const scaleReport = (measured: ScaleMeasured): PartReport => {
  const { sizes, workers, loads } = measured;
  return {
    part: 'scale',
    ratios: [
      ...jobShapes.flatMap((shape) =>
        sizesRatio(
          `cost of a task, job of 10,000 / of 100, ${shape}`,
          '≤ 1.5',
          ofShape(sizes, shape),
          [10_000, 100],
          perTaskMs,
        ),
      ),
      ...sizesRatio('tasks per second, 4 workers / 1 worker', '≥ 3.6', workers, [4, 1], perSecond),
      ...sizesRatio('loading a run, 1,000 steps / 50 steps', '≤ 1.2', loads, [1_000, 50], loadMs),
    ],
    tables: tablesOf(measured),
    notes: [
      'Jobs one at a time, of tasks that return their input and may all run side by side; a manager, and one worker of 32 slots.',
      '`plan`: the tasks stand in the plan; `for_each`: one task makes a child of each item of a list.',
      'Tasks that wait: one job of 400 tasks of 20 ms each; every worker is a process of one slot.',
      'A run is an agent with one call of a tool in each turn but the last. It is loaded as the hosts load it, from the journal, one load after the other.',
      'NATS at its default sync, Redis without persistence.',
    ],
    charts: chartsOf(measured),
    rounds: Object.fromEntries([...sizes.rounds, ...workers.rounds, ...loads.rounds]),
  };
};

const ofShape = (
  { contenders, rounds }: ScaleMeasured['sizes'],
  wanted: JobShape,
): Grown<JobSizes, JobSizeRound> => ({
  contenders: contenders.filter(({ shape }) => shape === wanted),
  rounds,
});

const tablesOf = ({ sizes, workers, loads }: ScaleMeasured): readonly Table[] => [
  {
    columns: ['one job', 'end to end ms', 'ms per task', 'tasks/s', 'processor ms per task'],
    rows: sizes.contenders.map((one) => [
      one.name,
      spreadText(spreadIn(sizes, one, endMs)),
      spreadText(spreadIn(sizes, one, perTaskMs)),
      figure(spreadIn(sizes, one, (round) => 1_000 / round.perTaskMs).median),
      cpuText(sizes.rounds.get(one.name) ?? []),
    ]),
  },
  {
    columns: ['tasks that wait', 'tasks/s'],
    rows: workers.contenders.map((one) => [one.name, spreadText(spreadIn(workers, one, perSecond))]),
  },
  {
    columns: ['loading', 'ms', 'reading every entry, ms'],
    rows: loads.contenders.map((one) => [
      one.name,
      spreadText(spreadIn(loads, one, loadMs)),
      spreadText(spreadIn(loads, one, readMs)),
    ]),
  },
];

const chartsOf = ({ sizes, workers, loads }: ScaleMeasured): readonly Chart[] => {
  const shapes = (what: (round: JobSizeRound) => number): readonly Line[] =>
    jobShapes.map((shape) => curveOf(shape, ofShape(sizes, shape), what));
  const throughput = curveOf('measured', workers, perSecond);
  const x = { label: 'tasks of the job', scale: 'log' } as const;
  return [
    {
      kind: 'lines',
      title: 'One job, by its size',
      x,
      y: { label: 'end to end, ms', scale: 'log' },
      lines: shapes(endMs),
    },
    {
      kind: 'lines',
      title: 'One task of a job, by the size of the job',
      x,
      y: { label: 'ms per task', scale: 'log' },
      lines: shapes(perTaskMs),
    },
    {
      kind: 'lines',
      title: 'Tasks that wait, by the number of workers',
      x: { label: 'worker processes of one slot', scale: 'linear' },
      y: { label: 'tasks per second', scale: 'linear' },
      lines: [throughput, inProportion(throughput)],
    },
    {
      kind: 'lines',
      title: 'Loading a run, by its length',
      x: { label: 'steps of the run', scale: 'log' },
      y: { label: 'ms', scale: 'log' },
      lines: [curveOf('as hosts load it', loads, loadMs), curveOf('every entry read', loads, readMs)],
    },
  ];
};

/** What it would be if it grew as the first point says. */
const inProportion = ({ points }: Line): Line => {
  const [first] = points;
  const each = first === undefined ? 0 : first.spread.median / first.x;
  return {
    name: 'in proportion',
    ideal: true,
    points: points.map(({ x }) => ({ x, spread: spreadOf([x * each]) })),
  };
};
