/**
 * Why a request is not answered because of where it comes from. As long as callers need no key, a page in somebody's
 * browser must not be able to run jobs: neither as itself (its origin is another), nor under a name that it made point
 * here (the host is none of ours).
 */
export const strangerOf = (request: Request, hosts: readonly string[] | undefined): string | undefined => {
  const { hostname, host } = new URL(request.url);
  if (hosts !== undefined && !hosts.includes(hostname)) return 'This is not the name that it is called by';
  const origin = request.headers.get('origin');
  if (origin === null || hostOf(origin) === host) return undefined;
  return 'Pages of another origin may not ask';
};

const hostOf = (origin: string): string | undefined => URL.parse(origin)?.host;
