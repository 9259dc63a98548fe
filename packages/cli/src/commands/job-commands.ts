import type { ApiOptions } from '../api/api-connection.ts';
import type { CancelOptions } from '../api/cancel-job.ts';
import type { ListOptions } from '../api/list-jobs.ts';
import type { EventsOptions } from '../api/print-events.ts';
import type { SubmitOptions } from '../api/submit-job.ts';
import { parseLabel, parseList, parseWhole } from '../parse-option.ts';
import { addedCommand, type Commands } from './added-command.ts';
import { inputOption, withApiOptions, withJson } from './command-options.ts';

/** Jobs on a mesh, over its API. */
export const addJobCommands = (commands: Commands): void => {
  commands.program.commandsGroup('Jobs on a mesh:');
  addSubmit(commands);
  addWatch(commands);
  addGet(commands);
  addList(commands);
  addEvents(commands);
  addCancel(commands);
  addAnswer(commands);
};

const addSubmit = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'submit <file>',
    summary: 'submit a job and say its id',
    examples: [
      'foldmesh submit job.yaml --input word=hello',
      'foldmesh submit job.yaml --key nightly-1',
      'foldmesh submit job.yaml --watch',
    ],
  });
  withApiOptions(withJson(command, 'print the answer as JSON; with --watch, the record of the job'))
    .option('--watch', 'show the job to its end')
    .option('--key <idempotency key>', 'makes one job of all submits that carry it')
    .addOption(inputOption())
    .action(async (file: string, options: SubmitOptions) => {
      const { submitJob } = await import('../api/submit-job.ts');
      ended(await submitJob(shell, file, options));
    });
};

const addWatch = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'watch <job>',
    summary: 'show a job to its end, then its result; Ctrl-C leaves it running',
    examples: ['foldmesh watch $JOB'],
  });
  withApiOptions(withJson(command, 'print the record of the job at its end')).action(
    async (job: string, options: ApiOptions) => {
      const { watchJob } = await import('../api/watch-job.ts');
      ended(await watchJob(shell, job, options));
    },
  );
};

const addGet = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'get <job>',
    summary: 'show a job as it is now',
    examples: ['foldmesh get $JOB', 'foldmesh get $JOB --json'],
  });
  withApiOptions(withJson(command, 'print the record as JSON')).action(
    async (job: string, options: ApiOptions) => {
      const { getJob } = await import('../api/get-job.ts');
      ended(await getJob(shell, job, options));
    },
  );
};

const jobsMax = 100_000;

const addList = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'list',
    summary: 'list jobs, the newest first',
    examples: [
      'foldmesh list --status running,waiting',
      'foldmesh list --label team=platform --limit 10',
      "foldmesh list --name 'two-*' --wait answer --json",
    ],
  });
  withApiOptions(withJson(command, 'print { "jobs": […] }'))
    .option('--status <status>', 'one of these, separated by commas', parseList, [])
    .option('--wait <reason>', 'waiting for one of these reasons', parseList, [])
    .option('--label <name=value>', 'with this label; may be given several times', parseLabel, {})
    .option('--name <name>', 'of this name, or one that begins like it where it ends with *')
    .option('--after <time>', 'created after this time: ISO 8601, or milliseconds UTC')
    .option('--before <time>', 'created before this time')
    .option('--limit <count>', 'how many at most', parseWhole('--limit', 1, jobsMax), 50)
    .action(async (options: ListOptions) => {
      const { listJobs } = await import('../api/list-jobs.ts');
      ended(await listJobs(shell, options));
    });
};

const addEvents = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'events <job>',
    summary: 'print every event of a job to its end; into a pipe, as lines of JSON',
    examples: ['foldmesh events $JOB', 'foldmesh events $JOB | head -1', 'foldmesh events $JOB --after 1.0'],
  });
  withApiOptions(withJson(command, 'print lines of JSON on a terminal too'))
    .option('--after <id>', 'only what came after the event with this id')
    .action(async (job: string, options: EventsOptions) => {
      const { printEvents } = await import('../api/print-events.ts');
      ended(await printEvents(shell, job, options));
    });
};

const addCancel = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'cancel <job>',
    summary: 'have a job stop',
    examples: ["foldmesh cancel $JOB --reason 'no longer needed'"],
  });
  withApiOptions(withJson(command, 'print the answer as JSON'))
    .option('--reason <text>', 'what the record of the job shall say')
    .action(async (job: string, options: CancelOptions) => {
      const { cancelJob } = await import('../api/cancel-job.ts');
      ended(await cancelJob(shell, job, options));
    });
};

const addAnswer = (commands: Commands): void => {
  const { shell, ended } = commands;
  const command = addedCommand(commands, {
    usage: 'answer <job> [request] [value]',
    summary: 'answer what a job asks people; on a terminal the question is put to you',
    examples: ['foldmesh answer $JOB $REQUEST red', 'foldmesh answer $JOB'],
  });
  withApiOptions(withJson(command, 'print the answer of the mesh as JSON')).action(
    async (job: string, request: string | undefined, value: string | undefined, options: ApiOptions) => {
      const { answerJob } = await import('../api/answer-job.ts');
      ended(await answerJob(shell, job, request, value, options));
    },
  );
};
