import { describe, expect, it } from 'vitest';
import { hostProblem } from './host-allowed.ts';

const refused = (url: string, allow?: readonly string[]): boolean =>
  hostProblem(new URL(url), allow) !== undefined;

describe('hostProblem', () => {
  it('lets every host through where no list is given', () => {
    expect(refused('https://example.com/')).toBe(false);
    expect(refused('http://localhost:8080/')).toBe(false);
  });

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
    expect(refused(url, [new URL(url).hostname])).toBe(true);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'https://user:secret@example.com/'])(
    'refuses %s',
    (url) => {
      expect(refused(url)).toBe(true);
    },
  );

  it('takes a listed host as a whole', () => {
    const allow = ['Example.com', '*.cdn.net', 'local.test:8080'];
    expect(refused('https://EXAMPLE.com/', allow)).toBe(false);
    expect(refused('https://example.com.evil.net/', allow)).toBe(true);
    expect(refused('https://evil-example.com/', allow)).toBe(true);
    expect(refused('https://a.b.cdn.net/', allow)).toBe(false);
    expect(refused('https://evilcdn.net/', allow)).toBe(true);
    expect(refused('http://local.test:8080/', allow)).toBe(false);
    expect(refused('http://local.test/', allow)).toBe(true);
    expect(hostProblem(new URL('https://other.net/'), allow)).toContain(
      'Example.com, *.cdn.net, local.test:8080',
    );
  });
});
