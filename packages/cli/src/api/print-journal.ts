import type { FoldmeshClient, JournalEntry, JournalPage } from '@foldmesh/client';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { printJson, timeText } from './print.ts';

export interface JournalOptions extends ApiOptions {
  readonly at?: number;
  readonly task?: string;
  readonly round?: number;
}

/** The journal of a job or of one task's run; with `--at` the state as it was after so many events. */
export const printJournal = (shell: Shell, job: string, options: JournalOptions): Promise<ExitCode> =>
  withApi(shell, options, job, async (client) => {
    const journal = await wholeJournal(client, job, options);
    if (options.json === true) printJson(shell, journal);
    else if (options.at !== undefined) shell.out(`${JSON.stringify(journal.state ?? null, null, 2)}\n`);
    else for (const entry of journal.entries) shell.out(entryText(entry));
    return exitCodes.done;
  });

const wholeJournal = async (
  client: FoldmeshClient,
  job: string,
  { at, task, round }: JournalOptions,
): Promise<JournalPage> => {
  const asked = {
    ...(task !== undefined && { task }),
    ...(round !== undefined && { round }),
  };
  const first = await client.journal(job, { ...asked, ...(at !== undefined && { at }) });
  const entries = [...first.entries];
  for (let { next: after } = first; after !== undefined; ) {
    const page = await client.journal(job, { ...asked, after });
    entries.push(...page.entries);
    after = page.next;
  }
  const { next: _, ...journal } = first;
  return { ...journal, entries };
};

/** One line for each event: its ordinal, which `--at` counts up to, and what it says. */
const entryText = ({ at, first, events }: JournalEntry): string =>
  events
    .map(
      (event, offset) => `${String(first + offset).padStart(5)}  ${timeText(at)}  ${JSON.stringify(event)}\n`,
    )
    .join('');
