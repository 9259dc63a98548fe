import type { CallCost } from '../measure/call-cost.ts';
import { type Spread, spreadOf } from '../measure/spread.ts';
import { readyEveryMs } from '../mesh/mesh-process.ts';
import { type Chart, figure, type PartReport, spreadText, type Table } from '../report/part-report.ts';
import type { Footprint } from './footprint.ts';
import type { Layer } from './layer.ts';
import type { LayersMeasured } from './layers.ts';
import { openJobsName } from './open-jobs.ts';
import type { ServiceRound } from './services.ts';

const wallUs = (cost: CallCost): number => cost.wallUs;
const cpuUs = (cost: CallCost): number => cost.cpuUs;
const startMs = (round: ServiceRound): number => round.startMs;
const rssMiB = ({ rss }: Footprint): number => rss / 2 ** 20;
const heapMiB = ({ heap }: Footprint): number => heap / 2 ** 20;

export const layersReport = (measured: LayersMeasured): PartReport => ({
  part: 'layers',
  ratios: [],
  tables: [callsTable(measured), servicesTable(measured), ...openJobsTable(measured)],
  notes: [
    'Times are of one call, one after the other where nothing else is said; processor time is of this process, without its servers.',
    'Own: what a middleware adds, round by round, to a handler that does nothing. `all five` is the chain of a tool call.',
    'By default there is no tracer, and nothing below `warn` is logged; so it is here, except where spans are kept.',
    `The message is a tool call with 160 characters of input. An entry is 1,024 bytes long. Streams are on files at their default sync, Redis is without persistence.`,
    `A service is started alone by its main.ts, with types stripped as it starts; it is asked every ${readyEveryMs} ms whether it is ready, and weighed after its garbage was collected.`,
    'Open jobs wait for a worker or in it; the first thousand, which fills what is kept of recent jobs, is not counted.',
  ],
  charts: chartsOf(measured),
  rounds: {
    ...Object.fromEntries(measured.rounds),
    ...Object.fromEntries(measured.services.starts),
    [openJobsName]: measured.services.openJobs,
  },
});

const spread = (
  { rounds }: LayersMeasured,
  { name }: Pick<Layer, 'name'>,
  what: (cost: CallCost) => number,
): Spread => spreadOf((rounds.get(name) ?? []).map(what));

/** Less what it is counted from, round by round. */
const ownUs = ({ rounds }: LayersMeasured, { name, over }: Layer): string => {
  const base = over === undefined ? undefined : rounds.get(over);
  if (base === undefined) return '';
  const own = (rounds.get(name) ?? []).map(
    (cost, round) => cost.wallUs - (base[round]?.wallUs ?? Number.NaN),
  );
  return spreadText(spreadOf(own));
};

const callsTable = (measured: LayersMeasured): Table => ({
  columns: ['layer', 'µs', 'own µs', 'processor µs', 'bytes', 'bytes of'],
  rows: measured.layers.map((layer) => [
    layer.name,
    spreadText(spread(measured, layer, wallUs)),
    ownUs(measured, layer),
    figure(spread(measured, layer, cpuUs).median),
    layer.weight === undefined ? '' : figure(measured.weights.get(layer.name) ?? Number.NaN),
    layer.weight?.of ?? '',
  ]),
});

const servicesTable = ({ services }: LayersMeasured): Table => ({
  columns: ['service', 'start ms', 'resident MiB', 'heap MiB'],
  rows: [...services.starts].map(([name, rounds]) => [
    name,
    ...[startMs, rssMiB, heapMiB].map((what) => spreadText(spreadOf(rounds.map(what)))),
  ]),
});

const openJobsTable = ({ services: { openJobs } }: LayersMeasured): readonly Table[] => {
  if (openJobs.length === 0) return [];
  const perThousand = [rssMiB, heapMiB].map((what) => spreadOf(openJobs.map((each) => 1_000 * what(each))));
  const columns = ['for each 1,000 more', 'resident MiB', 'heap MiB'];
  return [{ columns, rows: [[openJobsName, ...perThousand.map(spreadText)]] }];
};

const chartsOf = (measured: LayersMeasured): readonly Chart[] => {
  const calls = (title: string, wanted: (name: string) => boolean): Chart => ({
    kind: 'bars',
    title,
    unit: 'µs, lower is better',
    bars: measured.layers
      .filter(({ name }) => wanted(name))
      .map((layer) => ({ name: layer.name, spread: spread(measured, layer, wallUs) })),
  });
  const services = (title: string, unit: string, what: (round: ServiceRound) => number): Chart => ({
    kind: 'bars',
    title,
    unit,
    bars: [...measured.services.starts].map(([name, rounds]) => ({
      name,
      spread: spreadOf(rounds.map(what)),
    })),
  });
  const isStore = (name: string): boolean => /^(claim|append)/.test(name);
  return [
    calls('Layers: one call in the process', (name) => !isStore(name)),
    calls('Layers: one call to a server', isStore),
    services('Services: from start to ready', 'ms, lower is better', startMs),
    services('Services: resident memory at rest', 'MiB', rssMiB),
    services('Services: heap at rest', 'MiB', heapMiB),
  ];
};
