import { graphDepths } from './live/graph-depths.ts';

/** A node of a picture, and the positions in the list of those that must come before it. */
export interface GraphNode {
  readonly label: string;
  readonly before: readonly number[];
}

/** A label in its layer, or a place that a line goes through on its way down. */
interface Place {
  readonly label: string;
  /** Places of the layer above. */
  readonly above: readonly Place[];
  column: number;
}

const gap = 3;
const nodesMax = 40;
const layersMax = 16;

/**
 * A graph drawn from the top down: every line runs down from a node to those that wait for it. A line across joins
 * all above it with all below it; where a line down meets one that is not its own, that one passes behind it. Undefined where it
 * would not fit into `columns`, or nobody could follow it.
 */
export const planGraph = (nodes: readonly GraphNode[], columns: number): string | undefined => {
  if (nodes.length < 2 || nodes.length > nodesMax) return undefined;
  if (nodes.every(({ before }) => before.length === 0)) return undefined;
  const layers = layersOf(nodes);
  if (layers.length > layersMax) return undefined;
  for (const layer of layers) arrange(layer);
  centre(layers);
  const width = Math.max(...layers.flat().map((place) => rightOf(place) + 1));
  if (width > columns) return undefined;
  const lines: string[] = [];
  for (const [index, layer] of layers.entries()) {
    if (index > 0) lines.push(...linesBetween(layer, width));
    lines.push(labelLine(layer, width));
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
};

/** Nodes by depth; an edge over several layers gets a place in each that it crosses. */
const layersOf = (nodes: readonly GraphNode[]): readonly Place[][] => {
  const depths = graphDepths(
    nodes.map(({ before }) => before),
    nodes.length,
  );
  const layers: Place[][] = Array.from({ length: Math.max(...depths) + 1 }, () => []);
  const made = new Map<number, Place>();
  const passing = new Map<string, Place>();
  const placeAt = (node: number, depth: number): Place | undefined => {
    const own = made.get(node);
    if (own === undefined || depths[node] === depth) return own;
    const name = `${node}@${depth}`;
    const known = passing.get(name);
    if (known !== undefined) return known;
    const from = placeAt(node, depth - 1);
    const place: Place = { label: '│', above: from === undefined ? [] : [from], column: 0 };
    passing.set(name, place);
    layers[depth]?.push(place);
    return place;
  };
  const byDepth = nodes.map((_, node) => node).toSorted((a, b) => (depths[a] ?? 0) - (depths[b] ?? 0));
  for (const node of byDepth) {
    const depth = depths[node] ?? 0;
    const above = (nodes[node]?.before ?? []).flatMap((dep) => placeAt(dep, depth - 1) ?? []);
    const place: Place = { label: nodes[node]?.label ?? '', above, column: 0 };
    made.set(node, place);
    layers[depth]?.push(place);
  }
  return layers;
};

/** Below the middle of those they come from, side by side; `column` is the middle of a label. */
const arrange = (layer: Place[]): void => {
  const wanted = new Map(layer.map((place) => [place, middleOf(place.above)]));
  const wantedOf = (place: Place): number => wanted.get(place) ?? 0;
  layer.sort((a, b) => wantedOf(a) - wantedOf(b));
  spread(layer, wantedOf);
  const pushed = layer.reduce((sum, place) => sum + place.column - wantedOf(place), 0) / layer.length;
  const columns = new Map(layer.map((place) => [place, Math.round(place.column - pushed)]));
  spread(layer, (place) => columns.get(place) ?? 0);
};

const spread = (layer: readonly Place[], columnOf: (place: Place) => number): void => {
  let next = Number.NEGATIVE_INFINITY;
  for (const place of layer) {
    const half = place.column - leftOf(place);
    place.column = Math.max(next + half, Math.round(columnOf(place)));
    while (isTaken(place, layer)) place.column += 1;
    next = rightOf(place) + gap;
  }
};

const middleOf = (above: readonly Place[]): number =>
  above.length === 0 ? 0 : above.reduce((sum, { column }) => sum + column, 0) / above.length;

/** Whether a line comes down in its column that leads to others than those beside it: nobody could tell them apart. */
const isTaken = (place: Place, layer: readonly Place[]): boolean =>
  layer.some(
    (other) => netOf(other) !== netOf(place) && other.above.some(({ column }) => column === place.column),
  );

/** Those that wait for the same ones hang on one line across. */
const netOf = ({ above }: Place): string =>
  above
    .map(({ column }) => column)
    .toSorted((a, b) => a - b)
    .join();

/** Everything begins at the left edge. */
const centre = (layers: readonly Place[][]): void => {
  const left = Math.min(...layers.flat().map(leftOf));
  for (const place of layers.flat()) place.column -= left;
};

const leftOf = ({ column, label }: Place): number => column - Math.floor((label.length - 1) / 2);
const rightOf = (place: Place): number => leftOf(place) + place.label.length - 1;

const labelLine = (layer: readonly Place[], width: number): string => {
  const cells = Array.from({ length: width }, () => ' ');
  for (const place of layer)
    for (const [at, sign] of [...place.label].entries()) cells[leftOf(place) + at] = sign;
  return cells.join('');
};

/** One line across for each net that needs one; the lines down of those above run as far as the last that is theirs. */
const linesBetween = (layer: readonly Place[], width: number): readonly string[] => {
  const nets = [...Map.groupBy(layer, netOf).values()].map((below) => {
    const above = below[0]?.above ?? [];
    const ends = [...below, ...above].map(({ column }) => column);
    return { below, above, ends, isStraight: new Set(ends).size === 1 };
  });
  const drawn = nets.filter(({ above }) => above.length > 0);
  const across = drawn.filter(({ isStraight }) => !isStraight);
  const rows = Math.max(1, across.length);
  const cells = Array.from({ length: rows }, () => Array.from({ length: width }, () => new Set<Side>()));
  for (const net of drawn) {
    const row = net.isStraight ? rows : across.indexOf(net);
    for (const { column } of net.above) drawDown(cells, column, -1, row);
    for (const { column } of net.below) drawDown(cells, column, row, rows);
  }
  for (const [row, { ends }] of across.entries())
    drawAcross(cells[row] ?? [], Math.min(...ends), Math.max(...ends), new Set(ends));
  return cells.map((row) => row.map((sides) => signs[[...sides].toSorted().join('')] ?? ' ').join(''));
};

type Side = 'd' | 'l' | 'r' | 'u';

/** From the middle of one row to the middle of another; -1 and the number of rows are the labels above and below. */
const drawDown = (cells: readonly Set<Side>[][], column: number, from: number, to: number): void => {
  for (const [row, sides] of cells.entries()) {
    if (row >= from && row < to) sides[column]?.add('d');
    if (row > from && row <= to) sides[column]?.add('u');
  }
};

/** Where a line down passes that is not its own, this one goes behind it. */
const drawAcross = (row: readonly Set<Side>[], from: number, to: number, ends: ReadonlySet<number>): void => {
  for (let column = from; column <= to; column += 1) {
    const sides = row[column];
    if (sides === undefined || (!ends.has(column) && sides.size > 0)) continue;
    if (column > from) sides.add('l');
    if (column < to) sides.add('r');
  }
};

const signs: Readonly<Record<string, string>> = {
  du: '│',
  lr: '─',
  dr: '┌',
  dl: '┐',
  ru: '└',
  lu: '┘',
  dru: '├',
  dlu: '┤',
  dlr: '┬',
  lru: '┴',
  dlru: '┼',
};
