import { ApiError, foldmeshClient } from '@foldmesh/client';
import { type ApiOptions, apiKey, apiUrl, sentenceOf } from '../api/api-connection.ts';
import type { Shell } from '../command.ts';
import { away, type Finding, unlessNamed } from './findings.ts';

/** Whether the API answers, is ready, and takes the key. */
export const apiFinding = async (shell: Shell, options: ApiOptions): Promise<Finding> => {
  const { url, isNamed } = apiUrl(shell, options.url);
  const key = await apiKey(shell, options.apiKeyFile);
  const client = foldmeshClient({ url, ...(key !== undefined && { key }) });
  try {
    const { durability } = await client.ready();
    const { offers, pools } = await client.catalogue();
    return {
      what: 'api',
      where: url,
      reached: true,
      facts: {
        ready: true,
        durability,
        key: key === undefined ? 'none given' : 'taken',
        offers: offers.length,
        pools: pools.map(({ pool, slots }) => ({ pool, slots })),
      },
      problems: pools.length > 0 ? [] : [`${url}: no worker has said anything yet, so nothing can be run`],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const said = error.errors.map(({ message }) => message).join('; ');
    const { message } = sentenceOf(error, url, key !== undefined);
    const problem = said === '' ? message : `${url}: ${said}`;
    const isThere = error.status !== undefined && error.code !== 'unreadable';
    return unlessNamed({ ...away('api', url, problem), reached: isThere }, isNamed);
  }
};
