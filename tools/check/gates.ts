import { globSync } from 'node:fs';
import { isCode, readTree } from '../tidy/tree.ts';
import { typedFiles } from './typed-files.ts';

/** A check that is one command, and how much it says it looked at. */
export interface Gate {
  readonly name: string;
  readonly command: readonly string[];
  readonly unit: string;
  readonly lookedMin: number;
  /** How much the command looked at, from its output. */
  readonly looked: (output: string) => number;
}

const numberIn =
  (pattern: RegExp) =>
  (output: string): number =>
    Number(pattern.exec(output)?.[1] ?? 0);

/** Every file that a person wrote must be known to the compiler; the first that is not is worth naming. */
const typedCount = (): number => {
  const typed = typedFiles([
    ...globSync('{packages,services}/*/dist/.tsbuildinfo'),
    'node_modules/.cache/tests.tsbuildinfo',
  ]);
  const unknown = readTree('').paths.filter((path) => isCode(path) && !typed.has(path));
  if (unknown.length > 0)
    throw new Error(`never read by tsc: ${unknown.join(', ')}; see "include" in tsconfig.tests.json`);
  return typed.size;
};

export const gates: readonly Gate[] = [
  {
    name: 'format',
    command: ['biome', 'check', '--linter-enabled=false', '.'],
    unit: 'files',
    lookedMin: 50,
    looked: numberIn(/Checked (\d+) files/),
  },
  {
    name: 'lint',
    command: ['biome', 'lint', '--error-on-warnings', '.'],
    unit: 'files',
    lookedMin: 50,
    looked: numberIn(/Checked (\d+) files/),
  },
  {
    name: 'types',
    command: ['tsc', '-b'],
    unit: 'files',
    lookedMin: 50,
    // The compiler is silent when all is well, so its build info is asked.
    looked: typedCount,
  },
  {
    name: 'tidy',
    command: ['node', 'tools/tidy/main.ts'],
    unit: 'files',
    lookedMin: 50,
    looked: numberIn(/tidy: .* in (\d+) files/),
  },
  {
    name: 'unused',
    command: [
      'knip',
      '--no-progress',
      '--no-config-hints',
      '--reporter',
      'symbols',
      '--reporter',
      './tools/check/reporters/unused.ts',
    ],
    unit: 'files',
    lookedMin: 50,
    looked: numberIn(/unused: read (\d+) files/),
  },
];
