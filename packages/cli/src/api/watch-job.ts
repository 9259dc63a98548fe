import { jobFold } from '@foldmesh/job';
import { systemClock } from '@foldmesh/system';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { concludeRecord } from '../conclude-record.ts';
import { progressOn } from '../progress.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { comeBackText, type Followed, followedEvents } from './followed-events.ts';
import { wholeRecord } from './job-record.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** Shows a job to its end, then says its result. Ctrl-C leaves it running and says how to come back. */
export const watchJob = (shell: Shell, job: string, options: ApiOptions): Promise<ExitCode> =>
  withApi(shell, options, job, (client, link) => watchOn(shell, { client, link, job }, options));

/** The same for a job that has just been submitted. */
export const watchOn = (shell: Shell, watched: Followed, { json }: ApiOptions): Promise<ExitCode> =>
  untilInterrupted(
    shell,
    () => comeBackText(watched, 'watch'),
    async (signal) => {
      const { client, job } = watched;
      // Asked once before: a stream comes back for as long as it takes, also to a mesh that was never there.
      await client.get(job, { tasks_limit: 1 });
      while ((await follow(shell, watched, signal)) === 'reset');
      if (signal.aborted) return exitCodes.interrupted;
      return concludeRecord(shell, await wholeRecord(client, job), { json: json === true });
    },
  );

/**
 * The watcher folds the very events that the manager folds: what it shows is the state, not a summary of it. Where its
 * place in the stream is not served any more it has to begin again.
 */
const follow = async (shell: Shell, watched: Followed, signal: AbortSignal): Promise<'over' | 'reset'> => {
  const { job } = watched;
  await using progress = progressOn(
    shell.screen,
    systemClock,
    (request) => `foldmesh answer ${job} ${request}`,
  );
  const say = (sentence: string): void => progress.aside(() => shell.err(sentence));
  let state = jobFold.initial();
  for await (const step of followedEvents(watched, { signal }, say)) {
    if (step.kind === 'reset') return 'reset';
    if (step.kind === 'live') {
      progress.hear(step.news);
      continue;
    }
    if (step.kind === 'other') throw newerMesh(step.name, job);
    state = jobFold.evolve(state, step.event);
    progress.show({ state, events: [step.event], at: step.event.at });
  }
  return 'over';
};

const newerMesh = (name: string, job: string): CommandError =>
  new CommandError(
    `the mesh is newer than this command and says ${name}: update it, or use foldmesh get ${job}`,
    exitCodes.unreachable,
  );
