import { ApiError, type FoldmeshClient, type Reading, type StreamStep } from '@foldmesh/client';
import { CommandError, exitCodes } from '../command.ts';
import type { ApiLink } from './api-link.ts';

export interface Followed {
  readonly client: FoldmeshClient;
  readonly link: ApiLink;
  readonly job: string;
}

/**
 * A job's events to its end, whatever breaks on the way; `say` is told when the mesh is lost and when it is back. A job
 * that the mesh does not know any more is not found.
 */
export async function* followedEvents(
  { client, link, job }: Followed,
  reading: Reading,
  say: (sentence: string) => void,
): AsyncGenerator<StreamStep> {
  link.listen((isLost) => say(isLost ? `lost ${link.url}, trying again\n` : 'back\n'));
  try {
    yield* client.events(job, reading);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw forgotten(job, link.url);
    throw error;
  }
}

const forgotten = (job: string, url: string): CommandError =>
  new CommandError(
    `${job} is gone: the mesh at ${url} does not know it any more; a plain \`foldmesh up\` keeps its jobs in memory alone`,
    exitCodes.notFound,
  );

/** How to come back to a job that was only looked at: that it goes on is said by whoever can know it. */
export const comeBackText = ({ link, job }: Followed, command: string): string =>
  `${link.isLost() ? `whether the job goes on cannot be said while ${link.url} is away` : 'the job goes on'}: foldmesh ${command} ${job}`;
