import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chartSheet } from './chart-sheet.ts';
import { lastReport, reportMarkdown } from './publish-report.ts';

const begins = (part: string): string => `<!-- figures of ${part} -->`;
const ends = '<!-- end of figures -->';

/** The document with other lines between the two marks of a part; throws where it has no such marks. */
export const withFigures = (document: string, part: string, lines: readonly string[]): string => {
  const from = document.indexOf(begins(part));
  const to = document.indexOf(ends, from);
  if (from < 0 || to < 0) throw new Error(`the document has no "${begins(part)}" with "${ends}" after it`);
  const head = document.slice(0, from + begins(part).length);
  return [head, '', ...lines, '', document.slice(to)].join('\n');
};

/** Puts what was measured last into `<kept>.md`, and its charts, drawn anew, into the folder `kept` beside it. */
export const keepFigures = async (part: string, measured: string, kept: string): Promise<void> => {
  const chart = `${part}.svg`;
  const report = await lastReport(part, measured);
  const lines = reportMarkdown(report, `${basename(kept)}/${chart}`);
  const document = withFigures(await readFile(`${kept}.md`, 'utf8'), part, lines);
  await mkdir(kept, { recursive: true });
  await writeFile(join(kept, chart), chartSheet(report.charts));
  await writeFile(`${kept}.md`, document);
};
