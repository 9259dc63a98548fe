import type { Finding, SecondLook, Verdict } from './verdict.ts';

export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** What the report says, as data. Listed is what the folder held; audited and skipped add up to it. */
export interface Report {
  readonly totals: Readonly<Record<'listed' | 'audited' | 'skipped' | Verdict, number>>;
  readonly licences: Readonly<Record<string, number>>;
  readonly review: readonly Finding[];
  readonly contradictions: readonly Finding[];
  readonly skipped: readonly Skipped[];
  /** What the agent made of the contradictions it was given, and the names of those it was not. */
  readonly second: readonly (SecondLook & { readonly name: string })[];
  readonly unlooked: readonly string[];
  /** The packages that the example planted; in none of the totals. */
  readonly planted: readonly Finding[];
}

export const reportOf = (
  listed: number,
  findings: readonly Finding[],
  skipped: readonly Skipped[],
  { planted, second, unlooked }: Pick<Report, 'planted' | 'second' | 'unlooked'>,
): Report => {
  const having = (verdict: Verdict): readonly Finding[] =>
    findings.filter((finding) => finding.verdict === verdict);
  const licences: Record<string, number> = {};
  for (const { declared } of findings)
    licences[declared ?? '(none)'] = (licences[declared ?? '(none)'] ?? 0) + 1;
  const totals = {
    listed,
    audited: findings.length,
    skipped: skipped.length,
    fine: having('fine').length,
    review: having('review').length,
    contradiction: having('contradiction').length,
  };
  return {
    totals,
    licences: sorted(licences),
    review: having('review'),
    contradictions: having('contradiction'),
    skipped,
    second,
    unlooked,
    planted,
  };
};

const sorted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));

/** The report as a person reads it. */
export const markdownOf = ({
  totals,
  licences,
  review,
  contradictions,
  skipped,
  second,
  unlooked,
  planted,
}: Report): string =>
  [
    '# Licences of the installed packages',
    '',
    `${totals.listed} entries listed: ${totals.audited} packages audited, ${totals.skipped} skipped (named below).`,
    `${totals.fine} fine, ${totals.review} want a second look, ${totals.contradiction} contradict themselves.`,
    '',
    '| licence | packages |',
    '| --- | ---: |',
    ...Object.entries(licences).map(([licence, count]) => `| ${licence} | ${count} |`),
    ...section('Contradictions', contradictions.map(line)),
    ...section('For a second look', review.map(line)),
    ...section(
      'Skipped',
      skipped.map(({ name, reason }) => `- ${name}: ${reason}`),
    ),
    ...section('Planted by the example, counted apart', planted.map(line)),
    ...section(
      'The agent’s second look',
      second.map(({ name, verdict, reason }) => `- ${name}: ${verdict}: ${reason}`),
    ),
    ...(unlooked.length > 0
      ? section(
          'Left without a second look',
          unlooked.map((name) => `- ${name}`),
        )
      : []),
    '',
  ].join('\n');

const line = ({ name, version, reason }: Finding): string => `- ${name} ${version}: ${reason}`;

const section = (title: string, lines: readonly string[]): readonly string[] => [
  '',
  `## ${title}`,
  '',
  ...(lines.length > 0 ? lines : ['None.']),
];
