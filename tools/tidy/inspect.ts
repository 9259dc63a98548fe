import type { Finding, Rule } from './rule.ts';
import type { Tree } from './tree.ts';

/** What a run of all rules prints, and whether it passed. */
export interface Inspection {
  readonly passed: boolean;
  readonly lines: readonly string[];
}

/** A rule that looked at less than it must is a finding: a gate that saw nothing has not passed. */
export const inspect = (tree: Tree, rules: readonly Rule[]): Inspection => {
  const lines: string[] = [];
  const counts: string[] = [];
  let faults = 0;
  for (const { name, unit, lookedMin, check } of rules) {
    const { looked, findings, notes = [] } = check(tree);
    lines.push(...findings.map(line), ...notes.map((note) => `${line(note)} (not yet an error)`));
    faults += findings.length;
    if (looked < lookedMin) {
      faults += 1;
      lines.push(
        `${name} looked at ${looked} ${unit}, fewer than ${lookedMin}; see what it walks past in tools/tidy`,
      );
    }
    counts.push(`${name} ${looked} ${unit}`);
  }
  const summary = `tidy: ${rules.length} rules, ${faults} faults in ${tree.paths.length} files (${counts.join(', ')})`;
  return { passed: faults === 0, lines: [...lines, summary] };
};

const line = ({ path, line: number, wrong }: Finding): string => `${path}:${number}: ${wrong}`;
