import type { Fetch } from '@foldmesh/client';

/** Whether the API can be reached, as far as the last request tells. A request that is given up tells nothing. */
export interface ApiLink {
  readonly url: string;
  readonly fetch: Fetch;
  /** It was reached before, and is not any more. */
  readonly isLost: () => boolean;
  /** Whoever listens last is told of every change. */
  listen(hear: (isLost: boolean) => void): void;
}

/** Looks on at requests that somebody else makes, and makes again. */
export const apiLink = (url: string, ask: Fetch = (to, init) => globalThis.fetch(to, init)): ApiLink => {
  let hear: (isLost: boolean) => void = () => undefined;
  let wasReached = false;
  let isLost = false;
  const note = (isAway: boolean): void => {
    const isNew = wasReached && isAway !== isLost;
    wasReached ||= !isAway;
    if (!isNew) return;
    isLost = isAway;
    hear(isLost);
  };
  return {
    url,
    isLost: () => isLost,
    listen: (next) => {
      hear = next;
    },
    fetch: async (to, init) => {
      try {
        const answer = await ask(to, init);
        note(answer.status >= 500);
        return answer;
      } catch (error) {
        if (!isGivenUp(error)) note(true);
        throw error;
      }
    },
  };
};

const isGivenUp = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
