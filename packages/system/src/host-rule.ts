import { BlockList, isIP } from 'node:net';

const blockListOf = (subnets: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits] = subnet.split('/');
    list.addSubnet(net, Number(bits), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
};

/** Addresses of the machine's own surroundings, where clouds hand out credentials to whoever asks. */
const surroundings = blockListOf(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128']);

/** What the registries of IANA keep for one machine, one network or no single host: nothing of it is on the internet. */
const local = blockListOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b:1::/48',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
]);

/**
 * Why nobody may be sent there, or undefined. `allow` holds names (`example.com`, `*.example.com`), with a port if that counts;
 * where it is absent the whole internet may be asked, and nothing nearer.
 */
export const hostRefusal = (url: URL, allow: readonly string[] | undefined): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `${url.protocol} is neither http: nor https:`;
  if (url.username !== '' || url.password !== '') return 'an address must not hold credentials';
  const name = url.hostname.replace(/\.$/, '');
  const withPort = url.port === '' ? name : `${name}:${url.port}`;
  if (allow?.some((entry) => matches(entry, name) || matches(entry, withPort)) === false)
    return `${name} is not among the hosts that are allowed: ${allow.join(', ')}`;
  const address = name.replace(/^\[|\]$/g, '');
  return isIP(address) > 0 ? addressRefusal(address, allow !== undefined) : undefined;
};

/**
 * Why an address may not be asked. Link-local ones are refused whatever is allowed: the metadata service of a cloud is one.
 * Those of this machine and its networks are for a host that was named: a job's author is seldom who runs the machine.
 */
export const addressRefusal = (address: string, isNamed: boolean): string | undefined => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (surroundings.check(address, family))
    return 'it is an address of the machine itself, where credentials lie';
  return !isNamed && local.check(address, family)
    ? `${address} is of this machine or a private network: only where http.allow names the host`
    : undefined;
};

const matches = (entry: string, host: string): boolean => {
  const wanted = entry.toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
};
