import { ApiError, type CatalogueListing, type FoldmeshClient } from '@foldmesh/client';
import { sentenceOf } from '../api/api-connection.ts';
import { away, type Finding, unlessNeeded } from './findings.ts';

/** Where the API is asked for. */
export interface ApiPlace {
  readonly url: string;
  /** Somebody said so: it is no default. */
  readonly isNamed: boolean;
  readonly hasKey: boolean;
}

export interface ApiLook {
  readonly finding: Finding;
  /** It answers on this host for a mesh that keeps what it has in servers: those are needed. */
  readonly isServed: boolean;
  /** What its pools offer; nothing where that could not be asked. */
  readonly offers?: CatalogueListing['offers'];
}

/** Whether the API answers, is ready, and takes the key. What answers like an API has to be one that can be used. */
export const apiFinding = async (client: FoldmeshClient, place: ApiPlace): Promise<ApiLook> => {
  const { url, isNamed, hasKey } = place;
  let isServed = false;
  try {
    const { durability } = await client.ready();
    isServed = isHere(url) && durability !== inMemory;
    const { offers, pools } = await client.catalogue();
    const facts = {
      ready: true,
      durability,
      key: hasKey ? 'taken' : 'none given',
      offers: offers.length,
      pools: pools.map(({ pool, slots }) => ({ pool, slots })),
    };
    const problems =
      pools.length > 0 ? [] : [`${url}: no worker has said anything yet, so nothing can be run`];
    return { finding: { what: 'api', where: url, reached: true, facts, problems }, isServed, offers };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isThere = error.status !== undefined && error.code !== 'unreadable';
    const finding = { ...away('api', url, problemOf(error, place)), reached: isThere };
    return {
      finding: unlessNeeded(finding, isNamed || isThere),
      isServed: isServed || (isHere(url) && lacksStore(error)),
    };
  }
};

/** What `foldmesh up` without servers says that a job survives: it has no server to look for. */
const inMemory = 'process';

/** Of a mesh on another host this one need not reach the servers. */
const isHere = (url: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** Of a process that is about to end nothing follows for the stores. */
const lacksStore = ({ code, errors }: ApiError): boolean =>
  code === 'not_ready' && errors.some(({ path }) => path[0] !== 'process');

const problemOf = (error: ApiError, { url, hasKey }: ApiPlace): string => {
  if (error.code === 'not_ready')
    return `${url} is not ready: ${error.errors.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`;
  const said = error.errors.map(({ message }) => message).join('; ');
  return said === '' ? sentenceOf(error, url, hasKey).message : `${url}: ${said}`;
};
