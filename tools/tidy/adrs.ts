import type { Finding, Rule } from './rule.ts';

const folder = 'docs/adr/';
const linesMax = 120;

/** Decisions are numbered without gaps and take one page: what is longer is two decisions, or a manual. */
export const adrs: Rule = {
  name: 'adrs',
  unit: 'decisions',
  lookedMin: 1,
  check: (tree) => {
    const paths = tree.paths.filter((path) => path.startsWith(folder) && !path.endsWith('/README.md'));
    const findings = paths.flatMap((path, index): Finding[] => {
      const number = String(index + 1).padStart(4, '0');
      const lines = tree.text(path).split('\n').length - 1;
      const found: Finding[] = [];
      if (!new RegExp(`^${folder}${number}-[a-z0-9-]+\\.md$`).test(path)) {
        found.push({
          path,
          line: 1,
          wrong: `expected ${number}-<title>.md here; number decisions without gaps`,
        });
      }
      if (lines > linesMax) {
        found.push({
          path,
          line: lines,
          wrong: `${lines} lines, more than a page; keep the decision and its reasons`,
        });
      }
      return found;
    });
    return { looked: paths.length, findings };
  },
};
