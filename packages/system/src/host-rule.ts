import { BlockList, isIP } from 'node:net';

/** An address of the machine's own surroundings, where clouds hand out credentials to whoever asks. */
const surroundings = new BlockList();
surroundings.addSubnet('169.254.0.0', 16, 'ipv4');
surroundings.addSubnet('fe80::', 10, 'ipv6');
surroundings.addAddress('fd00:ec2::254', 'ipv6');

/** Why nobody may be sent there, or undefined. `allow` holds names (`example.com`, `*.example.com`), with a port if that counts. */
export const hostRefusal = (url: URL, allow: readonly string[] | undefined): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `${url.protocol} is neither http: nor https:`;
  if (url.username !== '' || url.password !== '') return 'an address must not hold credentials';
  const name = url.hostname.replace(/\.$/, '');
  const withPort = url.port === '' ? name : `${name}:${url.port}`;
  const allowed =
    allow === undefined || allow.some((entry) => matches(entry, name) || matches(entry, withPort));
  return allowed ? undefined : `${name} is not among the hosts that are allowed`;
};

/** Link-local addresses are refused whatever is allowed: the metadata service of a cloud is one. */
export const addressRefusal = (address: string): string | undefined => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return surroundings.check(address, family)
    ? 'it is an address of the machine itself, where credentials lie'
    : undefined;
};

const matches = (entry: string, host: string): boolean => {
  const wanted = entry.toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
};
