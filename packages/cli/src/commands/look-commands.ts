import type { ApiOptions } from '../api/api-connection.ts';
import type { JournalOptions } from '../api/print-journal.ts';
import type { MessagesOptions } from '../api/print-messages.ts';
import { parseWhole } from '../parse-option.ts';
import { addedCommand, type Commands } from './added-command.ts';
import { withApiOptions, withJson } from './command-options.ts';

/** Looking into a job: why it waits, what happened, what was said. */
export const addLookCommands = (commands: Commands): void => {
  commands.program.commandsGroup('Looking into a job:');
  addWhy(commands);
  addJournal(commands);
  addMessages(commands);
};

const addWhy = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'why <job>',
    summary: 'say what a job waits for, down to the last cause',
    examples: ['foldmesh why $JOB'],
  });
  withApiOptions(withJson(command, 'print the chain as JSON')).action(
    async (job: string, options: ApiOptions) => {
      const { whyJob } = await import('../api/why-job.ts');
      ended(await whyJob(shell, job, options));
    },
  );
};

const eventsMax = 1_000_000_000;
const roundsMax = 1_000_000;

const addJournal = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'journal <job>',
    summary: 'print the journal of a job or of one task, or the state that it folds to',
    examples: ['foldmesh journal $JOB', 'foldmesh journal $JOB --at 2'],
  });
  withApiOptions(withJson(command, 'print entries and state as JSON'))
    .option('--at <events>', 'the state after so many events', parseWhole('--at', 0, eventsMax))
    .option('--task <task>', "the journal of this task's run instead of the job's own")
    .option(
      '--round <round>',
      'of that run; its last where nothing is said',
      parseWhole('--round', 1, roundsMax),
    )
    .action(async (job: string, options: JournalOptions) => {
      const { printJournal } = await import('../api/print-journal.ts');
      ended(await printJournal(shell, job, options));
    });
};

const addMessages = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'messages <job> <task>',
    summary: 'print what an agent saw and said at a task',
    examples: ['foldmesh messages $JOB choose'],
  });
  withApiOptions(withJson(command, 'print the messages as JSON'))
    .option(
      '--round <round>',
      'of the run; its last where nothing is said',
      parseWhole('--round', 1, roundsMax),
    )
    .action(async (job: string, task: string, options: MessagesOptions) => {
      const { printMessages } = await import('../api/print-messages.ts');
      ended(await printMessages(shell, job, task, options));
    });
};
