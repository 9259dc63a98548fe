import { describe, expect, it } from 'vitest';
import { httpFault, shownUrl } from './http-faults.ts';

const url = new URL('https://example.com/a/b?token=secret#part');
const { signal } = new AbortController();
const failedBy = (cause: Error) => httpFault(url, new TypeError('fetch failed', { cause }), signal);

describe('httpFault', () => {
  it('may be asked again when the connection was the trouble', () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect(failedBy(cause)).toEqual({
      kind: 'unavailable',
      detail: 'GET https://example.com/a/b: no answer (ECONNRESET)',
      retry_after_ms: 1_000,
    });
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('is not asked again when nobody trusts the answer: %s', (code) => {
    const fault = failedBy(Object.assign(new Error('no'), { code }));
    expect(fault).toEqual({
      kind: 'unavailable',
      detail: `GET https://example.com/a/b: its certificate is not trusted (${code})`,
    });
  });

  it('passes on what is not the world but we', () => {
    const defect = new RangeError('ours');
    expect(() => httpFault(url, defect, signal)).toThrow(defect);
  });
});

describe('shownUrl', () => {
  it('leaves out what can be secret', () => {
    expect(shownUrl(new URL('https://u:p@example.com:8443/a?b=c#d'))).toBe('https://example.com:8443/a');
    expect(
      Buffer.byteLength(shownUrl(new URL(`https://example.com/${'x'.repeat(5_000)}`))),
    ).toBeLessThanOrEqual(256);
  });
});
