import { defineSkill, failed, type SkillCall, z } from '@foldmesh/sdk';
import { Entry, inspectPackage, listFolder } from '../src/inspect-package.ts';
import { markdownOf, reportOf, type Skipped } from '../src/report-text.ts';
import { Finding, SecondLook } from '../src/verdict.ts';

const Skip = z.strictObject({ name: z.string(), reason: z.string() });
const Group = z.strictObject({ findings: z.array(Finding), skipped: z.array(Skip) });
type Group = z.infer<typeof Group>;

/** Packages looked at side by side within one group. */
const width = 4;

export const audit = defineSkill({
  name: 'licence.audit',
  description: "Audits some entries of a package store (pnpm's node_modules/.pnpm).",
  input: z.strictObject({ store: z.string(), entries: z.array(Entry) }),
  output: Group,
  run: async ({ store, entries }, call) => {
    const looked = await call.all(
      entries.map((entry) => (branch: SkillCall) => auditEntry(branch, store, entry)),
      width,
    );
    return {
      findings: looked.flatMap(({ findings }) => findings),
      skipped: looked.flatMap(({ skipped }) => skipped),
    };
  },
});

export const inspect = defineSkill({
  name: 'licence.inspect',
  description: 'Audits the package in one folder.',
  input: z.strictObject({ path: z.string() }),
  output: Finding,
  run: async ({ path }, call) => inspectPackage(call, path),
});

/** More than this no agent looks at: the rest is named. */
const suspectsMax = 15;

const Suspect = Finding.pick({ path: true, name: true, declared: true }).extend({
  detected: z.string(),
  text: z.string(),
});
const Suspects = z.strictObject({ chosen: z.array(Suspect), rest: z.array(z.string()) });

export const suspects = defineSkill({
  name: 'licence.suspects',
  description:
    'Chooses the contradictions that get a second look, those of the example first, and names the rest.',
  input: z.strictObject({ groups: z.array(Group.nullable()), planted: z.array(Finding) }),
  output: Suspects,
  run: ({ groups, planted }) => {
    const found = [...planted, ...groups.flatMap((group) => group?.findings ?? [])].filter(
      ({ verdict }) => verdict === 'contradiction',
    );
    const chosen = found.slice(0, suspectsMax).map(({ path, name, declared, detected, texts }) => ({
      path,
      name,
      declared,
      detected: detected.join(', '),
      text: texts[0] ?? `${path}/LICENSE`,
    }));
    return Promise.resolve({ chosen, rest: found.slice(suspectsMax).map(({ name }) => name) });
  },
});

export const report = defineSkill({
  name: 'licence.report',
  description:
    'Merges the findings into report.md and report.json, remembers them, and makes sure that nothing got lost on the way.',
  input: z.strictObject({
    listed: z.array(Entry),
    groups: z.array(Group.nullable()),
    gaps: z.array(z.strictObject({ task: z.string(), status: z.string(), reason: z.string() })),
    planted: z.array(Finding),
    suspects: Suspects,
    second: z.array(SecondLook.nullable()),
  }),
  output: z.strictObject({ summary: z.string(), files: z.array(z.string()), remembered: z.number() }),
  run: async ({ listed, groups, gaps, planted, suspects: { chosen, rest }, second }, call) => {
    const findings = groups.flatMap((group) => group?.findings ?? []);
    const skipped = [...groups.flatMap((group) => group?.skipped ?? []), ...lostOf(listed, groups, gaps)];
    const looked = chosen.map(({ name }, index) => ({
      name,
      ...(second[index] ?? { verdict: 'unclear' as const, reason: 'the second look failed' }),
    }));
    const merged = reportOf(listed.length, findings, skipped, { planted, second: looked, unlooked: rest });
    const { totals } = merged;
    if (totals.audited + totals.skipped !== totals.listed)
      throw failed('invalid', `the totals do not add up: ${JSON.stringify(totals)}`);
    if (planted.some(({ verdict }) => verdict !== 'contradiction'))
      throw failed('invalid', 'a planted contradiction was not found');
    for (const { name, verdict, reason } of looked)
      await call.remember({
        text: `The licence of ${name}: ${verdict}. ${reason}`,
        tags: ['licence', name],
        data: { verdict },
      });
    const summary = markdownOf(merged);
    const written = [
      await call.tool('files.write', { path: 'report.md', text: summary }),
      await call.tool('files.write', { path: 'report.json', text: JSON.stringify(merged, null, 2) }),
    ];
    return {
      summary,
      files: written.map((file) => z.object({ path: z.string() }).parse(file).path),
      remembered: looked.length,
    };
  },
});

/** What a group that failed would have looked at is skipped too, and named. */
const lostOf = (
  listed: readonly z.infer<typeof Entry>[],
  groups: readonly (Group | null)[],
  gaps: readonly { readonly task: string; readonly reason: string }[],
): readonly Skipped[] => {
  const seen = new Set(
    groups.flatMap((group) => [
      ...(group?.findings ?? []).map(({ path }) => storeEntry(path)),
      ...(group?.skipped ?? []).map(({ name }) => name),
    ]),
  );
  const reason = gaps.map((gap) => `${gap.task}: ${gap.reason}`).join('; ') || 'lost';
  return listed.filter(({ name }) => !seen.has(name)).map(({ name }) => ({ name, reason }));
};

/** The store's entry that a package's path lies in: `…/.pnpm/<entry>/node_modules/<name>`. */
const storeEntry = (path: string): string => path.split('/node_modules/').at(-2)?.split('/').at(-1) ?? path;

/** One entry is one package, or named with the reason why it is none. */
const auditEntry = async (call: SkillCall, store: string, entry: z.infer<typeof Entry>): Promise<Group> => {
  const skip = (reason: string): Group => ({ findings: [], skipped: [{ name: entry.name, reason }] });
  if (entry.kind !== 'directory') return skip(`a ${entry.kind}, not a package`);
  if (entry.name === 'node_modules')
    return skip("links to packages that are entries themselves (pnpm's hoisting)");
  const own = await ownPackage(call, `${store}/${entry.name}/node_modules`);
  return own === undefined
    ? skip('holds no package of its own')
    : { findings: [await inspectPackage(call, own)], skipped: [] };
};

/** Beside the package itself pnpm puts links to what it depends on; the one that is no link is the package. */
const ownPackage = async (call: SkillCall, folder: string): Promise<string | undefined> => {
  for (const { name, kind } of await listFolder(call, folder)) {
    if (kind !== 'directory' || name === '.bin') continue;
    if (!name.startsWith('@')) return `${folder}/${name}`;
    const scoped = (await listFolder(call, `${folder}/${name}`)).find((inner) => inner.kind === 'directory');
    if (scoped !== undefined) return `${folder}/${name}/${scoped.name}`;
  }
  return undefined;
};
