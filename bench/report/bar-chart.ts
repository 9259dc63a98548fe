import { type Drawn, escaped, sheetWidth } from './drawn.ts';
import { type Bars, figure } from './part-report.ts';

const nameWidth = 330;
const valueWidth = 150;
const rowHeight = 22;
const headHeight = 30;
const footHeight = 14;
const room = sheetWidth - nameWidth - valueWidth;

/** One bar for each name, as long as its median, with a line from the 25th to the 75th hundredth of its rounds. */
export const barChart = ({ title, unit, bars }: Bars): Drawn => {
  const most = Math.max(...bars.map(({ spread }) => Math.max(spread.median, spread.p75)), Number.MIN_VALUE);
  const x = (value: number): number => Math.round(nameWidth + (Math.max(0, value) / most) * room);
  const parts = [
    `<text class="title" x="8" y="20">${escaped(`${title} (${unit})`)}</text>`,
    ...bars.flatMap(({ name, spread }, index) => {
      const y = headHeight + index * rowHeight;
      const kind = /^(BullMQ|Restate|bare)/.test(name) ? 'other' : 'ours';
      return [
        `<text x="${nameWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
        `<rect class="${kind}" x="${nameWidth}" y="${y}" width="${x(spread.median) - nameWidth}" height="16"/>`,
        `<path class="ink" d="M${x(spread.p25)} ${y + 8}H${x(spread.p75)}" stroke-width="2"/>`,
        `<text x="${x(Math.max(spread.median, spread.p75)) + 8}" y="${y + 13}">${figure(spread.median)}</text>`,
      ];
    }),
  ];
  return { height: headHeight + bars.length * rowHeight + footHeight, parts };
};
