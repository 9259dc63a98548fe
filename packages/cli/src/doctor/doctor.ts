import { foldmeshClient } from '@foldmesh/client';
import { isJsonObject, type Json } from '@foldmesh/envelope';
import { apiAccess, type Setting, systemClock } from '@foldmesh/system';
import { builtInTools } from '@foldmesh/tool-gateway';
import { toolsNeeded } from '@foldmesh/worker';
import { type Setup, serverReport } from '@foldmesh/worlds';
import { type ApiOptions, apiKey, apiUrl } from '../api/api-connection.ts';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { setUp } from '../setup.ts';
import { type ApiLook, apiFinding } from './api-finding.ts';
import type { Finding } from './findings.ts';
import { serverFindings } from './server-findings.ts';
import { type Around, toolProblems } from './tool-problems.ts';

export interface DoctorOptions extends ApiOptions {
  readonly config?: string;
}

const nodeMajorMin = 24;
const nameWidth = 26;

/** Says what is in force and from where, what is defined, what can be reached and how it is, and what is wrong with it. */
export const doctor = async (shell: Shell, options: DoctorOptions): Promise<ExitCode> => {
  const node = process.version;
  const setup = await setUp(shell, undefined, options.config);
  const isSet = !('problems' in setup);
  const { finding, isServed, offers } = await lookAtApi(shell, options);
  const findings = [
    ...(isSet
      ? serverFindings(await serverReport(setup.config), setup.settings, setup.config, {
          isServed,
          now: systemClock.now(),
        })
      : []),
    finding,
  ];
  const problems = [
    ...(Number.parseInt(node.slice(1), 10) >= nodeMajorMin
      ? []
      : [`Node ${node} is too old: foldmesh needs ${nodeMajorMin} or newer`]),
    ...(isSet ? [] : setup.problems),
    ...findings.flatMap((finding) => finding.problems),
    ...toolProblems({
      ...(isSet ? agentsIn(setup) : { agents: [], tools: [] }),
      mesh: offers && { url: finding.where, offers },
    }),
  ];
  const report = {
    node,
    settings: isSet ? setup.settings : [],
    defined: isSet ? definedIn(setup) : [],
    ...(isSet && { callers: apiAccess(setup.config.api) }),
    findings,
    problems,
  };
  shell.out(options.json === true ? `${JSON.stringify(report)}\n` : reportText(report));
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
};

const lookAtApi = async (shell: Shell, options: ApiOptions): Promise<ApiLook> => {
  const { url, isNamed } = apiUrl(shell, options.url);
  const key = await apiKey(shell, options.apiKeyFile);
  const client = foldmeshClient({ url, ...(key !== undefined && { key }) });
  return apiFinding(client, { url, isNamed, hasKey: key !== undefined });
};

interface Report {
  readonly node: string;
  readonly settings: readonly Setting[];
  readonly defined: readonly string[];
  readonly callers?: string;
  readonly findings: readonly Finding[];
  readonly problems: readonly string[];
}

const reportText = ({ node, settings, defined, callers, findings, problems }: Report): string =>
  [
    `node ${node}`,
    ...settings.map(settingText),
    definedText(defined),
    ...(callers === undefined ? [] : [`${'callers'.padEnd(nameWidth)} ${callers}`]),
    ...findings.map(findingText),
    ...verdict(problems),
  ]
    .map((line) => `${line}\n`)
    .join('');

const agentsIn = ({ config, definitions }: Setup): Pick<Around, 'agents' | 'tools'> => ({
  agents: definitions.agents.map(({ name, file, definition }) => ({
    name,
    file,
    needs: toolsNeeded(definition),
  })),
  tools: [...builtInTools(config), ...definitions.tools].map(({ definition: { name } }) => name),
});

const definedIn = ({ definitions }: Setup): readonly string[] =>
  (['skills', 'tools', 'pipelines', 'agents'] as const).flatMap((kind) =>
    definitions[kind].map(({ name }) => `${kind.slice(0, -1)} ${name}`),
  );

const settingText = ({ name, value, from }: Setting): string =>
  `${name.padEnd(nameWidth)} ${JSON.stringify(value) ?? '(not set)'}  (${from})`;

const definedText = (defined: readonly string[]): string =>
  `${'defined'.padEnd(nameWidth)} ${defined.length > 0 ? defined.join(', ') : 'nothing beside what is built in'}`;

/** Facts that say nothing, an empty list, are left out. */
const findingText = ({ what, where, reached, facts }: Finding): string => {
  const told = Object.entries(facts).flatMap(([name, fact]) => {
    if (Array.isArray(fact) && fact.length === 0) return [];
    return [`${name.replaceAll('_', ' ')} ${factText(fact)}`];
  });
  return `${what.padEnd(nameWidth)} ${where}  ${reached ? 'reached' : 'not reached'}${told.length > 0 ? `: ${told.join(', ')}` : ''}`;
};

const factText = (fact: Json): string => {
  if (Array.isArray(fact)) return fact.map(factText).join('; ');
  if (!isJsonObject(fact)) return String(fact);
  return Object.entries(fact)
    .map(([name, value]) => `${name} ${factText(value)}`)
    .join(' ');
};

const verdict = (problems: readonly string[]): readonly string[] =>
  problems.length === 0
    ? ['nothing is wrong']
    : problems.map((problem) => `${'wrong'.padEnd(nameWidth)} ${problem}`);
