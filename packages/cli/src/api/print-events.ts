import type { StreamStep } from '@foldmesh/client';
import { type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import { comeBackText, followedEvents } from './followed-events.ts';
import { timeText } from './print.ts';
import { untilInterrupted } from './until-interrupted.ts';

export interface EventsOptions extends ApiOptions {
  readonly after?: string;
}

/** Every event of a job to its end: lines of JSON for programs and pipes, words on a terminal. */
export const printEvents = (shell: Shell, job: string, options: EventsOptions): Promise<ExitCode> =>
  withApi(shell, options, job, (client, link) => {
    const watched = { client, link, job };
    return untilInterrupted(
      shell,
      () => comeBackText(watched, 'events'),
      async (signal) => {
        // Asked once before: a stream comes back for as long as it takes, also to a mesh that was never there.
        await client.get(job, { tasks_limit: 1 });
        const inWords = shell.isOutTerminal && options.json !== true;
        for await (const step of followedEvents(watched, { after: options.after, signal }, shell.err))
          if (step.kind !== 'live') shell.out(`${inWords ? wordsOf(step) : JSON.stringify(lineOf(step))}\n`);
        return exitCodes.done;
      },
    );
  });

/** What a task says while it is at work may be lost, and is no event. */
type Told = Exclude<StreamStep, { kind: 'live' }>;

/** With the id that `--after` takes; what this version does not know is passed on as it came. */
const lineOf = (step: Told): object => {
  switch (step.kind) {
    case 'event':
      return { id: step.id, ...step.event };
    case 'reset':
      return { kind: 'reset', job: step.job };
    case 'other':
      return { id: step.id, kind: step.name, data: step.data };
  }
};

const detailMax = 120;

const wordsOf = (step: Told): string => {
  if (step.kind === 'reset') return `reset  ${step.job.status}`;
  if (step.kind === 'other') return `${step.id}  ${step.name}`;
  const { kind, at, v: _, ...rest } = step.event;
  const detail = JSON.stringify(rest);
  const cut = detail.length > detailMax ? `${detail.slice(0, detailMax)}…` : detail;
  return `${timeText(at)}  ${kind.padEnd(16)} ${detail === '{}' ? '' : cut}`;
};
