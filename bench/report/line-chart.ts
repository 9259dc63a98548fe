import { type Drawn, escaped, sheetWidth } from './drawn.ts';
import { figure, type Line, type Lines } from './part-report.ts';
import { type Scale, scaleOf } from './ticks.ts';

const left = 76;
const right = 250;
const top = 40;
const plotHeight = 230;
const foot = 58;
const plotWidth = sheetWidth - left - right;
const bottom = top + plotHeight;
/** Names at the ends of lines that lie closer would cover each other. */
const nameHeight = 17;

/** A line through the medians of each name, with a stroke from the 25th to the 75th hundredth at each point. */
export const lineChart = ({ title, x, y, lines }: Lines): Drawn => {
  const points = lines.flatMap((line) => line.points);
  const measuredAt = [...new Set(points.map((point) => point.x))];
  // What was tried is no more than a few sizes, so these are what the axis names.
  const xs: Scale = { ...scaleOf(x, measuredAt), ticks: measuredAt };
  const ys = scaleOf(
    y,
    points.flatMap(({ spread }) => [spread.p25, spread.median, spread.p75]),
  );
  const place: Place = {
    x: (value) => Math.round(left + xs.at(value) * plotWidth),
    y: (value) => Math.round(bottom - ys.at(value) * plotHeight),
  };
  const middle = top + plotHeight / 2;
  const parts = [
    `<text class="title" x="8" y="20">${escaped(title)}</text>`,
    ...gridOf(xs, ys, place),
    `<text x="${left + plotWidth / 2}" y="${bottom + 38}" text-anchor="middle">${escaped(labelOf(x))}</text>`,
    `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">${escaped(labelOf(y))}</text>`,
    ...lines.flatMap((line, index) => lineParts(line, kindOf(line, index), place)),
    ...namesOf(lines, place),
  ];
  return { height: bottom + foot, parts };
};

interface Place {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

const kindOf = ({ ideal = false }: Line, index: number): string => (ideal ? 'gone' : `c${index % 4}`);
const labelOf = ({ label, scale }: Lines['x']): string => (scale === 'log' ? `${label}, log scale` : label);

const gridOf = (xs: Scale, ys: Scale, place: Place): readonly string[] => [
  ...ys.ticks.flatMap((tick) => [
    `<path class="grid" d="M${left} ${place.y(tick)}H${left + plotWidth}"/>`,
    `<text class="small" x="${left - 8}" y="${place.y(tick) + 4}" text-anchor="end">${figure(tick)}</text>`,
  ]),
  ...xs.ticks.flatMap((tick) => [
    `<path class="grid" d="M${place.x(tick)} ${top}V${bottom}"/>`,
    `<text class="small" x="${place.x(tick)}" y="${bottom + 17}" text-anchor="middle">${figure(tick)}</text>`,
  ]),
];

const lineParts = ({ points, ideal = false }: Line, kind: string, place: Place): readonly string[] => {
  const path = points.map(({ x, spread }) => `${place.x(x)} ${place.y(spread.median)}`).join('L');
  const line = `<path class="line ${kind}${ideal ? ' ideal' : ''}" d="M${path}"/>`;
  if (ideal) return [line];
  return [
    line,
    ...points.flatMap(({ x, spread }) => [
      `<path class="line ${kind}" d="M${place.x(x)} ${place.y(spread.p25)}V${place.y(spread.p75)}"/>`,
      `<circle class="${kind}" cx="${place.x(x)}" cy="${place.y(spread.median)}" r="3.5"/>`,
    ]),
  ];
};

/** Beside the last point of each line: its name, and its last median. */
const namesOf = (lines: readonly Line[], place: Place): readonly string[] => {
  const ends = lines.flatMap((line, index) => {
    const last = line.points.at(-1);
    if (last === undefined) return [];
    return [{ line, kind: kindOf(line, index), last, y: place.y(last.spread.median) }];
  });
  let above = Number.NEGATIVE_INFINITY;
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ line, kind, last, y }) => {
      above = Math.max(y, above + nameHeight);
      const text = line.ideal ? line.name : `${line.name}: ${figure(last.spread.median)}`;
      const [x, at] = [place.x(last.x) + 12, above + 4];
      return `<rect class="${kind}" x="${x}" y="${at - 9}" width="9" height="9"/><text x="${x + 15}" y="${at}">${escaped(text)}</text>`;
    });
};
