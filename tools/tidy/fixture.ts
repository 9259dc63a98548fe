import type { Rule } from './rule.ts';
import { treeOf } from './tree.ts';

const manifest = (name: string, dependencies: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ name, dependencies });

/** A repository of a few packages in layers, with nothing wrong in it. */
const sound: Readonly<Record<string, string>> = {
  'layers.json': JSON.stringify({
    layers: [['packages/low'], ['packages/mid', 'packages/vendor'], ['services/top'], ['test', 'bench']],
    exclusive: { 'vendor-client': 'packages/vendor' },
  }),
  'packages/low/package.json': manifest('@x/low', { zod: '1.0.0' }),
  'packages/mid/package.json': manifest('@x/mid', { '@x/low': 'workspace:*' }),
  'packages/vendor/package.json': manifest('@x/vendor', {
    '@x/low': 'workspace:*',
    'vendor-client': '1.0.0',
  }),
  'services/top/package.json': manifest('@x/top', { '@x/low': 'workspace:*', '@x/mid': 'workspace:*' }),
  'bench/package.json': manifest('@x/bench', { '@x/mid': 'workspace:*' }),
};

/** What a rule says about a sound repository with these files laid over it, as `path:line: …`. */
export const findingsOf = (rule: Rule, files: Readonly<Record<string, string>>): string[] =>
  rule
    .check(treeOf({ ...sound, ...files }))
    .findings.map(({ path, line, wrong }) => `${path}:${line}: ${wrong}`);
