import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphNode, planGraph } from './plan-graph.ts';

const graph = (edges: Readonly<Record<string, readonly string[]>>): readonly GraphNode[] => {
  const names = Object.keys(edges);
  return names.map((label) => ({ label, before: (edges[label] ?? []).map((name) => names.indexOf(name)) }));
};

const draw = (edges: Readonly<Record<string, readonly string[]>>): string =>
  `\n${planGraph(graph(edges), 80)}`;

describe('the picture of a plan', () => {
  it('draws a chain as one line down', () => {
    expect(draw({ list: [], audit: ['list'], report: ['audit'] })).toBe(`
 list
  │
audit
  │
report
`);
  });

  it('draws a diamond', () => {
    expect(draw({ a: [], left: ['a'], right: ['a'], end: ['left', 'right'] })).toBe(`
    a
 ┌──┴───┐
left  right
 └───┬──┘
    end
`);
  });

  it('leads an edge over a layer past it', () => {
    expect(draw({ a: [], b: ['a'], c: ['a', 'b'] })).toBe(`
 a
┌┴─┐
b  │
└─┬┘
  c
`);
  });

  it('is none where it would be too wide, too long, or without an edge', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`task-${n}`, n === 0 ? [] : ['task-0']]),
    );
    expect(planGraph(graph(wide), 80)).toBeUndefined();
    expect(planGraph(graph({ a: [], b: [] }), 80)).toBeUndefined();
    expect(planGraph(graph({ a: [] }), 80)).toBeUndefined();
  });

  it('says the very edges of any graph that it draws', () => {
    let drawn = 0;
    fc.assert(
      fc.property(graphs, (nodes) => {
        const picture = planGraph(nodes, 200);
        if (picture === undefined) return;
        drawn += 1;
        const edges = nodes.flatMap(({ label, before }) =>
          before.map((dep) => `${nodes[dep]?.label}>${label}`),
        );
        expect(edgesIn(picture).toSorted(), picture).toEqual([...new Set(edges)].toSorted());
      }),
      { numRuns: 500 },
    );
    expect(drawn).toBeGreaterThan(200);
  });
});

/** Up to nine nodes, each after any of those before it. */
const graphs = fc
  .array(fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), { minLength: 2, maxLength: 9 })
  .map((rows) =>
    rows.map(
      (row, node): GraphNode => ({
        label: `n${node}`.padEnd(2 + (node % 3), 'x'),
        before: row.flatMap((is, dep) => (is && dep < node ? [dep] : [])),
      }),
    ),
  );

/** Follows the lines as a reader does: from each label up, both ways along the first line across, and up from there. */
const edgesIn = (picture: string): readonly string[] => {
  const lines = picture.split('\n');
  const at = (row: number, column: number): string => lines[row]?.[column] ?? ' ';
  const labels = lines.flatMap((line, row) =>
    [...line.matchAll(/n[\dx]+/g)].map(({ 0: label, index }) => ({ row, from: index, label })),
  );
  const isLabelRow = (row: number): boolean => labels.some((one) => one.row === row);
  const labelAt = (row: number, column: number): string | undefined =>
    labels.find((one) => one.row === row && one.from <= column && column < one.from + one.label.length)
      ?.label;
  /** Who is at the top of the line that comes down out of this place. */
  const from = (row: number, column: number): readonly string[] => {
    const label = labelAt(row, column);
    if (label !== undefined) return [label];
    const sign = at(row, column);
    if (sign === '│') return from(row - 1, column);
    if (!'├┤┼┌┐┬'.includes(sign)) return [];
    return [...above(row, column), ...along(row, column, -1), ...along(row, column, 1)];
  };
  /** Straight up to the label, or to the line that passes between labels: what is across on the way is not its own. */
  const above = (row: number, column: number): readonly string[] => {
    if (!'│├┤┼└┘┴'.includes(at(row, column))) return [];
    return isLabelRow(row - 1) ? from(row - 1, column) : above(row - 1, column);
  };
  const along = (row: number, column: number, step: -1 | 1): readonly string[] => {
    const [onward, last] = step < 0 ? ['┐┤┬┼┴┘', '┌├└'] : ['┌├┬┼┴└', '┐┤┘'];
    if (!onward.includes(at(row, column))) return [];
    const found: string[] = [];
    for (let here = column + step; at(row, here) !== ' '; here += step) {
      if (!'│─'.includes(at(row, here))) found.push(...above(row, here));
      if (last.includes(at(row, here))) break;
    }
    return found;
  };
  return labels.flatMap(({ row, from: left, label }) =>
    [...label].flatMap((_, offset) => from(row - 1, left + offset).map((parent) => `${parent}>${label}`)),
  );
};
