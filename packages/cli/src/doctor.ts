import type { ExitCode, Shell } from './command.ts';
import { setUp } from './setup.ts';

const nodeMajorMin = 24;
const nameWidth = 24;

/** Says what is in force, from where, what is defined, and what is wrong. */
export const doctor = async (
  shell: Shell,
  named: string | undefined,
  nodeVersion: string,
  json: boolean,
): Promise<ExitCode> => {
  const setup = await setUp(shell, undefined, named);
  const major = Number(nodeVersion.replace(/^v/, '').split('.')[0]);
  const nodeProblems =
    major >= nodeMajorMin ? [] : [`Node ${nodeVersion} is too old: foldmesh needs ${nodeMajorMin} or newer`];
  const problems = [...nodeProblems, ...('problems' in setup ? setup.problems : [])];
  const settings = 'problems' in setup ? [] : setup.settings;
  const defined =
    'problems' in setup
      ? []
      : (['skills', 'tools', 'pipelines', 'agents'] as const).flatMap((kind) =>
          setup.definitions[kind].map(({ definition }) => `${kind.slice(0, -1)} ${definition.name ?? ''}`),
        );
  if (json) shell.out(`${JSON.stringify({ node: nodeVersion, settings, defined, problems })}\n`);
  else {
    shell.out(`node ${nodeVersion}\n`);
    for (const { name, value, from } of settings)
      shell.out(`${name.padEnd(nameWidth)} ${JSON.stringify(value) ?? '(not set)'}  (${from})\n`);
    shell.out(
      defined.length > 0
        ? `defined          ${defined.join(', ')}\n`
        : 'defined          nothing beside what is built in\n',
    );
    shell.out(
      'reaches          (no server is asked: `foldmesh run` and `up` need none without --nats and --redis)\n',
    );
    for (const problem of problems) shell.out(`wrong            ${problem}\n`);
    if (problems.length === 0) shell.out('nothing is wrong\n');
  }
  return problems.length === 0 ? 0 : 2;
};
