/** What a process says of itself to those who keep it running. */
export interface Health {
  /** Why it should not be relied on now; empty when it should. */
  readonly problems: () => readonly string[];
  /** What somebody should hear of, though it can be relied on all the same. */
  readonly remarks: () => readonly string[];
  readonly durability: () => string | undefined;
}

const noStore = { 'cache-control': 'no-store' };

/**
 * `/livez` is of the process alone: an outage elsewhere must not restart it. `/readyz` says everything that keeps it from
 * working, by name.
 */
export const healthApp =
  ({ problems, remarks, durability }: Health) =>
  async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { ...noStore, allow: 'GET, HEAD' } });
    if (pathname === '/livez') return Response.json({ status: 'live' }, { headers: noStore });
    if (pathname !== '/readyz') return new Response(null, { status: 404, headers: noStore });
    const wrong = problems();
    const reasons = wrong.length === 0 ? remarks() : wrong;
    if (wrong.length === 0)
      return Response.json(
        { status: 'ready', durability: durability(), ...(reasons.length > 0 && { reasons }) },
        { headers: noStore },
      );
    return Response.json(
      { status: 'not ready', reasons },
      { status: 503, headers: { ...noStore, 'retry-after': '1' } },
    );
  };
