import { ApiError, type FoldmeshClient } from '@foldmesh/client';
import { problemText } from '@foldmesh/system';
import { type ExitCode, refuse, type Shell } from '../command.ts';
import type { JobFile } from '../job-file.ts';
import { type ApiOptions, withApi } from './api-connection.ts';
import type { ApiLink } from './api-link.ts';

/** Asks the API about the job of a file: what is wrong with it is named with the file and the line there. */
export const withJobApi = (
  shell: Shell,
  options: ApiOptions,
  { name, parsed }: JobFile,
  ask: (client: FoldmeshClient, link: ApiLink) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withApi(shell, options, name, async (client, link) => {
    try {
      return await ask(client, link);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400 || error.errors.length === 0) throw error;
      return refuse(
        shell,
        error.errors.map(({ path, message }) => problemText(name, parsed, { path, message })),
      );
    }
  });
