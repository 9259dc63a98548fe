import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { detectLicences } from './src/licence-text.ts';
import { declaredLicence, judge } from './src/verdict.ts';

const root = resolve(import.meta.dirname, '../..');
const store = join(root, 'node_modules/.pnpm');

/** Runs the job as a person would, and gives its record. */
const runAudit = async (): Promise<{
  readonly code: number | null;
  readonly id: string;
  readonly result: string;
}> => {
  const child = spawn(
    process.execPath,
    [
      '-C',
      '@foldmesh/source',
      'packages/cli/src/main.ts',
      'run',
      'examples/licence-audit/job.yaml',
      '--json',
      '--answer',
      'the manifest',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString();
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, ...JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') };
};

/** Counted without foldmesh, by looking at the folders alone: an entry is a package if it holds a manifest of its own. */
const countPackages = (): {
  readonly entries: number;
  readonly packages: number;
  readonly others: readonly string[];
} => {
  const isPackage = (folder: string): boolean =>
    !lstatSync(folder).isSymbolicLink() && existsSync(join(folder, 'package.json'));
  const holdsPackage = (entry: string): boolean => {
    const inner = join(store, entry, 'node_modules');
    if (entry === 'node_modules' || !existsSync(inner)) return false;
    return readdirSync(inner).some((name) =>
      name.startsWith('@')
        ? readdirSync(join(inner, name)).some((scoped) => isPackage(join(inner, name, scoped)))
        : isPackage(join(inner, name)),
    );
  };
  const entries = readdirSync(store);
  const others = entries.filter((entry) => !holdsPackage(entry));
  return { entries: entries.length, packages: entries.length - others.length, others };
};

it('audits every package that is installed here, and names what it skips', async () => {
  const { code, id, result } = await runAudit();
  expect(code).toBe(0);
  const report = JSON.parse(readFileSync(join(root, 'out', 'local', id, 'report.json'), 'utf8'));
  const { entries, packages, others } = countPackages();
  expect(packages).toBeGreaterThan(30);
  expect(report.totals).toMatchObject({ listed: entries, audited: packages, skipped: others.length });
  expect(report.totals.fine + report.totals.review + report.totals.contradiction).toBe(packages);
  expect(Object.values<number>(report.licences).reduce((sum, count) => sum + count, 0)).toBe(packages);
  expect(report.skipped.map(({ name }: { name: string }) => name).sort()).toEqual([...others].sort());
  for (const { reason } of report.skipped) expect(reason).not.toBe('');
  // The planted ones are found, and in none of the totals.
  expect(report.planted).toMatchObject([
    { name: 'planted-contradiction', verdict: 'contradiction', declared: 'MIT', detected: ['GPL-3.0'] },
    { name: 'planted-ambiguous', verdict: 'contradiction', declared: 'Apache-2.0', detected: ['GPL-3.0'] },
  ]);
  const names = report.contradictions.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string) => name.startsWith('planted'))).toEqual([]);
  // The agent looked at each contradiction once more, up to fifteen; what it was told by a person decides the ambiguous one.
  expect(report.second.length + report.unlooked.length).toBe(names.length + 2);
  expect(report.second.slice(0, 2)).toMatchObject([
    { name: 'planted-contradiction', verdict: 'contradiction' },
    { name: 'planted-ambiguous', verdict: 'fine', reason: expect.stringContaining('a person decided') },
  ]);
  expect(readFileSync(join(root, 'out', 'local', id, 'report.md'), 'utf8')).toBe(result);
  rmSync(join(root, 'out', 'local', id), { recursive: true });
});

it.for([
  ['MIT', ['MIT'], 1, 'fine'],
  ['MIT', ['GPL-3.0'], 1, 'contradiction'],
  ['MIT', ['MIT', 'ISC'], 1, 'review'],
  ['(MIT OR GPL-3.0-or-later)', ['MIT'], 1, 'review'],
  ['MPL-2.0', ['MPL-2.0'], 1, 'review'],
  ['MIT', [], 0, 'review'],
  ['MIT', [], 1, 'review'],
  [null, ['MIT'], 1, 'review'],
] as const)(
  'judges a package that declares %s with the text of %j',
  ([declared, detected, files, verdict]) => {
    expect(judge(declared, detected, files).verdict).toBe(verdict);
  },
);

it('reads a licence in all the forms manifests have had', () => {
  expect(declaredLicence({ license: 'ISC' })).toBe('ISC');
  expect(declaredLicence({ license: { type: 'MIT', url: 'x' } })).toBe('MIT');
  expect(declaredLicence({ licenses: [{ type: 'MIT' }, { type: 'Apache-2.0' }] })).toBe('MIT OR Apache-2.0');
  expect(declaredLicence({})).toBe(null);
});

it('knows a licence by its wording, and the MPL by its title although it names others', () => {
  expect(detectLicences('Permission is hereby granted, free of charge, to any person …')).toEqual(['MIT']);
  expect(
    detectLicences(
      `Mozilla Public License Version 2.0\n${' x'.repeat(400)} GNU Affero General Public License, Version 3.0`,
    ),
  ).toEqual(['MPL-2.0']);
  expect(detectLicences('All rights reserved.')).toEqual([]);
});
