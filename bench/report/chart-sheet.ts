import { barChart } from './bar-chart.ts';
import { escaped, sheetWidth } from './drawn.ts';
import { lineChart } from './line-chart.ts';
import { type Chart, mediansOf } from './part-report.ts';

// The paper is drawn, so that the ink can be read on whatever page it is shown; both follow the reader's wish for dark.
const style = `
text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.small{font-size:11px}
.paper{fill:#fff}.ink{stroke:#1f2328}.grid{stroke:#d8dee4}.line{fill:none;stroke-width:2}.ideal{stroke-dasharray:5 4}
.ours,.c0{fill:#0969da;stroke:#0969da}.other{fill:#8c959f}.c1{fill:#bc4c00;stroke:#bc4c00}.c2{fill:#1a7f37;stroke:#1a7f37}
.c3{fill:#8250df;stroke:#8250df}.gone{fill:#6e7781;stroke:#6e7781}.line.c0,.line.c1,.line.c2,.line.c3,.line.gone{fill:none}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.ink{stroke:#e6edf3}.grid{stroke:#30363d}
.ours,.c0{fill:#4493f8;stroke:#4493f8}.other{fill:#6e7681}.c1{fill:#f0883e;stroke:#f0883e}.c2{fill:#3fb950;stroke:#3fb950}
.c3{fill:#ab7df8;stroke:#ab7df8}.gone{fill:#9198a1;stroke:#9198a1}.line.c0,.line.c1,.line.c2,.line.c3,.line.gone{fill:none}}
`;

/** What is read out in place of the sheet. */
const titleOf = (charts: readonly Chart[]): string =>
  charts.length === 0 ? 'Nothing to show' : charts.map(({ title }) => title).join('; ');

/** All charts of a part that have something to show, one below the other, as one SVG. */
export const chartSheet = (charts: readonly Chart[]): string => {
  const shown = charts.filter((chart) => mediansOf(chart).length > 0);
  const parts: string[] = [];
  let top = 0;
  for (const chart of shown) {
    const drawn = chart.kind === 'bars' ? barChart(chart) : lineChart(chart);
    parts.push(`<g transform="translate(0 ${top})">`, ...drawn.parts, '</g>');
    top += drawn.height;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sheetWidth}" height="${top}" viewBox="0 0 ${sheetWidth} ${top}">`,
    `<title>${escaped(titleOf(shown))}</title>`,
    `<style>${style}</style><rect class="paper" width="${sheetWidth}" height="${top}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
};
