import { describe, expect, it } from 'vitest';
import { addressRefusal, hostRefusal } from './host-rule.ts';

const refused = (url: string, allow?: readonly string[]): boolean =>
  hostRefusal(new URL(url), allow) !== undefined;

describe('hostRefusal', () => {
  it('lets every host through where no list is given', () => {
    expect(refused('https://example.com/a?b')).toBe(false);
    expect(refused('http://127.0.0.1:8080/')).toBe(false);
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
  });
});

describe('addressRefusal', () => {
  it.each(['169.254.169.254', '169.254.170.2', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'refuses %s',
    (address) => {
      expect(addressRefusal(address)).toBeDefined();
    },
  );

  it.each(['127.0.0.1', '::1', '10.0.0.1', '169.255.0.1', '93.184.216.34', '2001:db8::1'])(
    'lets %s through',
    (address) => {
      expect(addressRefusal(address)).toBeUndefined();
    },
  );
});
