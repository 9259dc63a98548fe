/** What one event stream said until it ended. */
export interface EventsRead {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** Whether it told its reader how long to wait before coming back. */
  readonly hasRetry: boolean;
}

/** Reads a job's events to the end of the stream; a stream that is cut instead of ended is an error. */
export const readEvents = async (url: string, job: string, after?: string): Promise<EventsRead> => {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(`${url}/v1/jobs/${job}/events`, { headers });
  const said = await response.text();
  const values = (field: string): readonly string[] =>
    said
      .split('\n')
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trim());
  return { ids: values('id'), names: values('event'), hasRetry: values('retry').length > 0 };
};
