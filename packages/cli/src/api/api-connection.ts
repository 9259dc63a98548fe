import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ApiError, type FoldmeshClient, foldmeshClient } from '@foldmesh/client';
import { CommandError, type ExitCode, exitCodes, type Shell } from '../command.ts';
import { type ApiLink, apiLink } from './api-link.ts';

/** The options that every command of the API has. */
export interface ApiOptions {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly json?: true;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** Where the API is: what is said here, else FOLDMESH_URL, else this machine. */
export const apiUrl = (
  { environment }: Shell,
  said: string | undefined,
): { url: string; isNamed: boolean } => {
  const named = said ?? (environment['FOLDMESH_URL'] || undefined);
  const url = named ?? defaultUrl;
  const from = said === undefined ? 'FOLDMESH_URL' : '--url';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`${from} wants an address like ${defaultUrl}, got ${JSON.stringify(url)}`);
  return { url, isNamed: named !== undefined };
};

/** The key: that of the file where one is named, else FOLDMESH_API_KEY. A key on the command line would be in everybody's `ps`. */
export const apiKey = async (
  { cwd, environment }: Shell,
  file: string | undefined,
): Promise<string | undefined> => {
  if (file === undefined) return environment['FOLDMESH_API_KEY'] || undefined;
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`--api-key-file ${file}: it cannot be read (${error.code})`);
  });
  if (text.trim() === '') throw new CommandError(`--api-key-file ${file}: it is empty`);
  return text.trim();
};

/** Asks the API, `about` a job where one is named, and says what it says no with in one sentence and an exit code. */
export const withApi = async (
  shell: Shell,
  options: ApiOptions,
  about: string | undefined,
  ask: (client: FoldmeshClient, link: ApiLink) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { url } = apiUrl(shell, options.url);
  const key = await apiKey(shell, options.apiKeyFile);
  const link = apiLink(url);
  try {
    return await ask(foldmeshClient({ url, fetch: link.fetch, ...(key !== undefined && { key }) }), link);
  } catch (error) {
    if (error instanceof ApiError) throw sentenceOf(error, url, key !== undefined, about);
    throw error;
  }
};

/** What went wrong, where, and what to do about it. */
export const sentenceOf = (error: ApiError, url: string, hasKey: boolean, about?: string): CommandError => {
  const { code, status, message, trace_id, retryAfterMs } = error;
  const exit = exitOf(error);
  if (code === 'unreachable')
    return new CommandError(
      `${url} cannot be reached (${message.replace(/^no answer came: /, '')}): start it with \`foldmesh up\`, or name another with --url or FOLDMESH_URL`,
      exit,
    );
  if (code === 'unreadable')
    return new CommandError(`${url} does not answer like the API of foldmesh: ${message}`, exit);
  if (status === 401 && !hasKey)
    return new CommandError(
      `${url}: ${message}; set FOLDMESH_API_KEY, or name its file with --api-key-file`,
      exit,
    );
  if (status === 401) return new CommandError(`${url}: this key is unknown, revoked or expired`, exit);
  const later = retryAfterMs === undefined ? '' : `; ask again in ${Math.ceil(retryAfterMs / 1000)} s`;
  const trace = status !== undefined && status >= 500 && trace_id !== undefined ? ` (trace ${trace_id})` : '';
  const of = about === undefined ? '' : `${about}: `;
  return new CommandError(`${of}${message}${status === 404 ? ` at ${url}` : ''}${later}${trace}`, exit);
};

const exitOf = ({ code, status = 0 }: ApiError): ExitCode => {
  if (code === 'aborted') return exitCodes.interrupted;
  if (status === 404 && code !== 'unreadable') return exitCodes.notFound;
  if (code === 'unaskable' || [400, 405, 413, 415, 417, 431].includes(status)) return exitCodes.badInput;
  if ([401, 403, 409, 422].includes(status)) return exitCodes.refused;
  return exitCodes.unreachable;
};
