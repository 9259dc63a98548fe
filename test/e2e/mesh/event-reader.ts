/** What one event stream said until it ended. */
export interface EventsRead {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** Whether it told its reader how long to wait before coming back. */
  readonly hasRetry: boolean;
}

/** A stream of events that has begun. */
export interface OpenEvents {
  /** All that it says until it ends; one that is cut instead of ended is an error. */
  readonly whole: Promise<EventsRead>;
}

/** Opens a job's events, and comes back when the first of them has been heard, or there is none. */
export const openEvents = async (url: string, job: string, after?: string): Promise<OpenEvents> => {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(`${url}/v1/jobs/${job}/events`, { headers });
  const begun = Promise.withResolvers<void>();
  const whole = readAll(response, begun.resolve);
  await Promise.race([begun.promise, whole]);
  return { whole };
};

/** Reads a job's events to the end of the stream. */
export const readEvents = async (url: string, job: string, after?: string): Promise<EventsRead> =>
  (await openEvents(url, job, after)).whole;

const readAll = async ({ body }: Response, begin: () => void): Promise<EventsRead> => {
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of body ?? []) {
    said += decoder.decode(chunk, { stream: true });
    if (/^id:/m.test(said)) begin();
  }
  const values = (field: string): readonly string[] =>
    said
      .split('\n')
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trim());
  return { ids: values('id'), names: values('event'), hasRetry: values('retry').length > 0 };
};
