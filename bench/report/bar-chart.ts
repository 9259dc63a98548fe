import { type Bars, figure } from './part-report.ts';

const width = 860;
const nameWidth = 330;
const valueWidth = 150;
const rowHeight = 22;
const headHeight = 30;
const room = width - nameWidth - valueWidth;

/** One bar for each name, as long as its median, with a line from the 25th to the 75th hundredth of its rounds. */
export const barChart = (charts: readonly Bars[]): string => {
  const parts: string[] = [];
  let top = 0;
  for (const chart of charts) {
    parts.push(...chartAt(chart, top));
    top += headHeight + chart.bars.length * rowHeight + 14;
  }
  const style = 'text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}">`,
    `<style>${style}</style><rect width="${width}" height="${top}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
};

const chartAt = ({ title, unit, bars }: Bars, top: number): readonly string[] => {
  const most = Math.max(...bars.map(({ spread }) => Math.max(spread.median, spread.p75)), Number.MIN_VALUE);
  const x = (value: number): number => Math.round(nameWidth + (value / most) * room);
  return [
    `<text class="title" x="8" y="${top + 20}">${escaped(`${title} (${unit})`)}</text>`,
    ...bars.flatMap(({ name, spread }, index) => {
      const y = top + headHeight + index * rowHeight;
      const middle = y + 8;
      const color = /^(foldmesh|ours)/.test(name) ? '#1f6feb' : '#8c959f';
      return [
        `<text x="${nameWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
        `<rect x="${nameWidth}" y="${y}" width="${x(spread.median) - nameWidth}" height="16" fill="${color}"/>`,
        `<path d="M${x(spread.p25)} ${middle}H${x(spread.p75)}" stroke="#24292f" stroke-width="2"/>`,
        `<text x="${x(Math.max(spread.median, spread.p75)) + 8}" y="${y + 13}">${figure(spread.median)}</text>`,
      ];
    }),
  ];
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
