import type { FoldmeshClient, RunMessage, RunMessages } from '@foldmesh/client';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson, timeText } from './print.ts';

export interface MessagesOptions extends ApiOptions {
  readonly round?: number;
}

/** What an agent saw and said at one task. */
export const printMessages = (
  shell: Shell,
  job: string,
  task: string,
  options: MessagesOptions,
): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const run = await allMessages(client, job, task, options.round);
    if (options.json === true) {
      printJson(shell, run);
      return exitCodes.done;
    }
    const { agent, model, status, usage } = run;
    shell.out(`${agent} on ${model}, round ${run.round}: ${status}\n`);
    for (const message of run.messages) shell.out(`\n${messageText(message)}\n`);
    shell.out(`\n${usage.input_tokens} tokens in, ${usage.output_tokens} out\n`);
    return exitCodes.done;
  });

const allMessages = async (
  client: FoldmeshClient,
  job: string,
  task: string,
  round: number | undefined,
): Promise<RunMessages> => {
  const asked = round === undefined ? {} : { round };
  const first = await client.messages(job, task, asked);
  const messages = [...first.messages];
  for (let { next: after } = first; after !== undefined; ) {
    const page = await client.messages(job, task, { ...asked, after });
    messages.push(...page.messages);
    after = page.next;
  }
  const { next: _, ...run } = first;
  return { ...run, messages };
};

const messageText = (message: RunMessage): string => {
  const head = `${timeText(message.at)}  ${message.role}`;
  switch (message.role) {
    case 'system':
    case 'user':
      return `${head}\n${message.text}`;
    case 'assistant':
      return [
        head,
        ...(message.text === '' ? [] : [message.text]),
        ...message.calls.map(({ id, name, input }) => `→ ${id} ${name} ${JSON.stringify(input)}`),
      ].join('\n');
    case 'tool':
      return `${head} ${message.name}${message.failed ? ' failed' : ''}\n← ${message.call} ${message.text}`;
  }
};
