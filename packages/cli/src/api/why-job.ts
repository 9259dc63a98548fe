import type { Why } from '@foldmesh/client';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { gapsText } from '../conclude-record.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { wholeRecord } from './job-record.ts';
import { printJson, timeText } from './print.ts';

/** Says what keeps a job from going on, what others wait for first, and what mends it. */
export const whyJob = (shell: Shell, job: string, options: ApiOptions): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const why = await client.why(job);
    if (options.json === true) {
      printJson(shell, why);
      return exitCodes.done;
    }
    const gaps = why.status === 'completed' ? gapsText(await wholeRecord(client, job)) : undefined;
    shell.out(whyText(why));
    if (gaps !== undefined) shell.out(`  ${gaps}\n`);
    return exitCodes.done;
  });

const whyText = ({ job, status, causes, left_out }: Why): string => {
  const lines = [
    `${job} ${status}${causes.length === 0 ? ': it waits for nothing' : ''}`,
    ...causes.flatMap(causeLines),
    ...(left_out > 0 ? [`  and ${left_out} more causes`] : []),
  ];
  return `${lines.join('\n')}\n`;
};

const causeLines = ({ text, since, until, next, chain }: Why['causes'][number]): readonly string[] => [
  `  ${text}`,
  `    since ${timeText(since)}${until === undefined ? '' : `, until ${timeText(until)}`}`,
  ...(chain === undefined || chain.length < 2 ? [] : [`    ${chain.join(' → ')}`]),
  ...(next === undefined ? [] : [`    ${next}`]),
];
