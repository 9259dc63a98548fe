import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { spreadOf } from '../measure/spread.ts';
import { chartSheet } from './chart-sheet.ts';
import { keepFigures } from './keep-figures.ts';
import type { Lines } from './part-report.ts';
import { lastReport, type Published, publishReport } from './publish-report.ts';
import { scaleOf } from './ticks.ts';

const curve: Lines = {
  kind: 'lines',
  title: 'Cost <of one>',
  x: { label: 'tasks', scale: 'log' },
  y: { label: 'ms', scale: 'linear' },
  lines: [{ name: 'plan', points: [10, 1_000].map((x) => ({ x, spread: spreadOf([x, 2 * x]) })) }],
};

const report: Published = {
  part: 'scale',
  ratios: [{ name: 'large | small', spread: spreadOf([1.25]), goal: '≤ 1.5' }],
  tables: [{ columns: ['job', 'ms'], rows: [['ten', '12']] }],
  notes: ['A note.'],
  charts: [curve],
  rounds: {},
  machine: { cores: 2, cpu: 'some', memoryGiB: 8, kernel: 'Linux', node: '24', nats: '2.10', redis: '7.0' },
  load: { before: 0.1, after: 0.2 },
};

describe('the axis of a chart', () => {
  it.each([
    ['linear', [40, 144], [0, 25, 50, 75, 100, 125, 150]],
    ['linear', [0.93], [0, 0.2, 0.4, 0.6, 0.8, 1]],
    ['log', [10, 10_000], [10, 100, 1_000, 10_000]],
    ['log', [50, 1_000], [50, 100, 200, 500, 1_000]],
    ['log', [7], [5, 10]],
  ] as const)('that is %s, over %j, is marked at round values that enclose them', (scale, values, ticks) => {
    const axis = scaleOf({ label: '', scale }, values);
    expect(axis.ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
    expect(axis.ticks.map(axis.at).at(-1)).toBeCloseTo(1);
    for (const value of values) {
      expect(axis.at(value)).toBeGreaterThanOrEqual(0);
      expect(axis.at(value)).toBeLessThanOrEqual(1);
    }
  });
});

test('a curve is drawn with its title, both axes and the name of each line', () => {
  const drawn = chartSheet([curve]);
  for (const text of ['>Cost &lt;of one&gt;</text>', '>tasks, log scale<', '>ms<', '>plan: 1,500<'])
    expect(drawn).toContain(text);
  expect(drawn.match(/<circle /g)?.length).toBe(2);
  expect(chartSheet([curve, { ...curve, lines: [] }])).toBe(drawn);
});

test('a sheet says first what it shows, to those who do not see it', () => {
  const titled = (...charts: readonly Lines[]): string | undefined =>
    /^<svg [^>]+>\n<title>(.+)<\/title>\n/.exec(chartSheet(charts))?.[1];
  expect(titled(curve, { ...curve, title: 'Speed' })).toBe('Cost &lt;of one&gt;; Speed');
  expect(titled({ ...curve, lines: [] })).toBe('Nothing to show');
});

describe('figures that are kept', () => {
  const document = '# Figures\n\n<!-- figures of scale -->\nold\n<!-- end of figures -->\n\nThe end.\n';

  const kept = async (text: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'foldmesh-figures-'));
    try {
      await writeFile(join(folder, 'benchmarks.md'), text);
      await publishReport(report, join(folder, 'out'));
      await writeFile(join(folder, 'out/scale.svg'), 'drawn by another version');
      await keepFigures('scale', join(folder, 'out'), join(folder, 'benchmarks'));
      expect(await readFile(join(folder, 'benchmarks/scale.svg'), 'utf8')).toBe(chartSheet(report.charts));
      return await readFile(join(folder, 'benchmarks.md'), 'utf8');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  it('stand between the marks of their part, in place of older ones, with the chart drawn anew beside the document', async () => {
    const text = await kept(document);
    expect(text).toContain('| large \\| small | 1.25 (1.25–1.25) | ≤ 1.5 |\n');
    expect(text).toContain('| job | ms |\n| --- | ---: |\n| ten | 12 |\n');
    expect(text).toContain('![Charts of scale](benchmarks/scale.svg)');
    expect(text).not.toContain('old');
    expect(text).toMatch(/^# Figures\n\n<!-- figures of scale -->\n/);
    expect(text).toMatch(/<!-- end of figures -->\n\nThe end\.\n$/);
    expect(await kept(text)).toBe(text);
  });

  it('have no place where a document does not have their marks', async () => {
    await expect(kept('# Figures\n')).rejects.toThrow('no "<!-- figures of scale -->"');
  });

  it('are not there before their part was measured', async () => {
    await expect(lastReport('scale', join(tmpdir(), 'foldmesh-nothing'))).rejects.toThrow(
      'scale has not been measured here: pnpm bench --only scale',
    );
  });
});
