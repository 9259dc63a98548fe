/** Addresses that only the machine itself is told at: a cloud's metadata service gives out credentials there. */
const linkLocal =
  /^(169\.254\.\d+\.\d+|\[fe[89ab][0-9a-f]:.*\]|\[fd00:ec2::254\]|\[::ffff:a9fe:[0-9a-f]{1,4}\])$/;

/**
 * Why an address may not be asked, or undefined. `allow` holds hosts (`example.com`, `*.example.com`, `example.com:8080`).
 * It sees the address as it is written; where a name or a redirect leads to, only the adapter can see.
 */
export const hostProblem = (url: URL, allow: readonly string[] | undefined): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `${url.protocol} is neither http: nor https:`;
  if (url.username !== '' || url.password !== '') return 'an address must not hold credentials';
  const host = url.hostname.replace(/\.$/, '');
  if (linkLocal.test(host)) return 'a link-local address is never asked';
  const names = url.port === '' ? [host] : [host, `${host}:${url.port}`];
  if (allow === undefined || allow.some((entry) => names.some((name) => fits(entry.toLowerCase(), name))))
    return undefined;
  return `${host} is not among the hosts that are allowed: ${allow.join(', ')}`;
};

const fits = (entry: string, name: string): boolean =>
  entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry;
