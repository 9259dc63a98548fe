import { describe, expect, it } from 'vitest';
import { addressRefusal, hostRefusal } from './host-rule.ts';

const refused = (url: string, allow?: readonly string[]): boolean =>
  hostRefusal(new URL(url), allow) !== undefined;

describe('hostRefusal', () => {
  it('lets every host of the internet through where no list is given', () => {
    expect(refused('https://example.com/a?b')).toBe(false);
    expect(refused('http://93.184.216.34/')).toBe(false);
    expect(refused('http://[2001:4860:4860::8888]/')).toBe(false);
  });

  it.each(['http://127.0.0.1:8080/', 'http://2130706433/', 'http://[::1]/', 'http://192.168.1.1/'])(
    'lets nobody to %s but where it is named',
    (url) => {
      expect(hostRefusal(new URL(url), undefined)).toMatch(/only where http\.allow names the host/);
      expect(refused(url, [new URL(url).hostname])).toBe(false);
    },
  );

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://169.254.170.2/v2/credentials',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
  ])('never lets anybody to %s, also when it is listed', (url) => {
    expect(refused(url)).toBe(true);
    expect(refused(url, [new URL(url).hostname.replace(/\.$/, '')])).toBe(true);
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'data:text/plain,x', 'javascript:1'])(
    'refuses %s',
    (url) => {
      expect(refused(url)).toBe(true);
    },
  );

  it.each(['https://user:secret@example.com/', 'https://user@example.com/', 'https://:secret@example.com/'])(
    'refuses credentials in %s',
    (url) => {
      expect(refused(url)).toBe(true);
      expect(hostRefusal(new URL(url), undefined)).not.toContain('secret');
    },
  );

  it('takes a listed name as a whole, in either case and with a dot at its end', () => {
    const allow = ['Example.com', '*.cdn.net', 'local.test:8080'];
    expect(refused('https://example.com/', allow)).toBe(false);
    expect(refused('https://EXAMPLE.com./', allow)).toBe(false);
    expect(refused('https://example.com:8443/', allow)).toBe(false);
    expect(refused('https://example.com.evil.net/', allow)).toBe(true);
    expect(refused('https://evil-example.com/', allow)).toBe(true);
    expect(refused('https://a.cdn.net/', allow)).toBe(false);
    expect(refused('https://cdn.net/', allow)).toBe(true);
    expect(refused('https://evilcdn.net/', allow)).toBe(true);
    expect(refused('http://local.test:8080/', allow)).toBe(false);
    expect(refused('http://local.test:8081/', allow)).toBe(true);
    expect(hostRefusal(new URL('https://other.net/'), allow)).toContain(
      'Example.com, *.cdn.net, local.test:8080',
    );
  });
});

describe('addressRefusal', () => {
  it.each(['169.254.169.254', '169.254.170.2', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'refuses %s, whoever named it',
    (address) => {
      expect(addressRefusal(address, false)).toBeDefined();
      expect(addressRefusal(address, true)).toBeDefined();
    },
  );

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.2',
    '172.31.255.255',
    '192.168.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    'fd12:3456::1',
    'ff02::1',
  ])('lets %s through only where the host was named', (address) => {
    expect(addressRefusal(address, false)).toBeDefined();
    expect(addressRefusal(address, true)).toBeUndefined();
  });

  it.each(['169.255.0.1', '172.32.0.1', '93.184.216.34', '223.255.255.1', '2001:db8::1'])(
    'lets %s through',
    (address) => {
      expect(addressRefusal(address, false)).toBeUndefined();
    },
  );
});
