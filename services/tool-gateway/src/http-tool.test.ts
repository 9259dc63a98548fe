import { fail, fault, type JobId, type Key, ok, type Result, type TenantId } from '@foldmesh/envelope';
import type { Http, HttpRequest, HttpResponse } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { checkArguments } from './check-arguments.ts';
import { httpTool } from './http-tool.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const url = 'https://example.com/a?token=canary#part';

/** A world with one answer, and what it was asked. */
const answering = (answer: Partial<HttpResponse> | Result<HttpResponse>) => {
  const asked: HttpRequest[] = [];
  const http: Http = {
    get: async (request) => {
      asked.push(request);
      return 'ok' in answer ? answer : ok({ status: 200, headers: {}, body: new Uint8Array(), ...answer });
    },
  };
  return { http, asked };
};

const get = async (http: Http, input: unknown, allow?: readonly string[]): Promise<unknown> => {
  const tool = httpTool({ http, allow });
  const checked = checkArguments(tool, input);
  if (!checked.ok) return checked.fault;
  const { signal } = new AbortController();
  const call = { tenant: 't' as TenantId, job: 'j' as JobId, key: 't/j/k/1/0/0' as Key, signal, deadline: 0 };
  const result = await tool.run(checked.value as never, call);
  if (!result.ok) return result.fault;
  expect(tool.output?.safeParse(result.value)).toMatchObject({ success: true });
  return result.value;
};

describe('http.get', () => {
  it('only reads', () => {
    expect(httpTool({ http: answering({}).http })).toMatchObject({ name: 'http.get', effect: 'read' });
  });

  it('gives status, text, and of the headers those that tell something of the text', async () => {
    const headers = {
      'content-type': 'text/plain',
      etag: '"7"',
      'set-cookie': 'session=canary',
      'x-token': 'canary',
    };
    const { http, asked } = answering({ headers, body: bytes('hello') });
    expect(await get(http, { url, headers: { accept: 'text/plain' } })).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain', etag: '"7"' },
      text: 'hello',
      truncated: false,
    });
    expect(asked).toEqual([{ url, headers: { accept: 'text/plain' }, bytesMax: 1024 * 1024 }]);
  });

  it.each([204, 300, 304])('gives an answer of status %d as it is', async (status) => {
    expect(await get(answering({ status }).http, { url })).toMatchObject({ status, text: '' });
  });

  it('gives the head of a long text, cut between characters, and a notice (C088)', async () => {
    const { http } = answering({ body: bytes('ab😀cd') });
    expect(await get(http, { url, bytes_max: 5 })).toEqual({
      status: 200,
      headers: {},
      text: 'ab',
      truncated: true,
      notice: 'these are the first 2 of 8 bytes; give a larger bytes_max for more',
    });
    const long = answering({ body: bytes('x'.repeat(300_000)) });
    expect(await get(long.http, { url })).toMatchObject({ text: 'x'.repeat(65_536), truncated: true });
  });

  it('hands on nothing binary', async () => {
    const { http } = answering({ body: new Uint8Array([0x89, 0x50, 0xff]) });
    expect(await get(http, { url })).toEqual({
      kind: 'invalid',
      detail: 'the answer of https://example.com/a is no text in UTF-8',
    });
  });

  describe('an answer that is a failure', () => {
    const date = 'Mon, 30 Nov 2026 12:00:00 GMT';
    it.each([
      [429, { 'retry-after': '7' }, { kind: 'throttled', retry_after_ms: 7_000 }],
      [429, {}, { kind: 'throttled', retry_after_ms: 1_000 }],
      [429, { 'retry-after': 'garbage' }, { kind: 'throttled', retry_after_ms: 1_000 }],
      [429, { 'retry-after': '31536000' }, { kind: 'throttled', retry_after_ms: 31_536_000_000 }],
      [
        503,
        { 'retry-after': 'Mon, 30 Nov 2026 12:00:20 GMT', date },
        { kind: 'unavailable', retry_after_ms: 20_000 },
      ],
      [503, {}, { kind: 'unavailable', retry_after_ms: 1_000 }],
      [500, {}, { kind: 'unavailable', retry_after_ms: 1_000 }],
      [502, {}, { kind: 'unavailable', retry_after_ms: 1_000 }],
      [408, {}, { kind: 'unavailable', retry_after_ms: 1_000 }],
      [400, {}, { kind: 'invalid' }],
      [404, {}, { kind: 'invalid' }],
      [410, {}, { kind: 'invalid' }],
      [422, {}, { kind: 'invalid' }],
      [401, {}, { kind: 'refused' }],
      [403, { 'retry-after': '7' }, { kind: 'refused' }],
      [451, {}, { kind: 'refused' }],
    ])('%d %j', async (status, headers, expected) => {
      const { http } = answering({ status, headers, body: bytes('secret: canary') });
      expect(await get(http, { url })).toEqual({
        ...expected,
        detail: `GET https://example.com/a: ${status}`,
      });
    });

    it('of the network is passed on as it is', async () => {
      const away = fault('unavailable', 'no answer', { retry_after_ms: 1_000 });
      expect(await get(answering(fail(away)).http, { url })).toEqual(away);
    });
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'refused'],
    ['http://127.0.0.1:8080/v1/jobs', 'refused'],
    ['http://[::1]:8081/livez', 'refused'],
    ['https://user:canary@example.com/', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['example.com', 'invalid'],
    ['', 'invalid'],
  ])('asks nobody for %s', async (address, kind) => {
    const { http, asked } = answering({});
    const answer = await get(http, { url: address });
    expect(answer).toMatchObject({ kind });
    expect(JSON.stringify(answer)).not.toContain('canary');
    expect(asked).toEqual([]);
  });

  it('asks nobody who is not allowed', async () => {
    const { http, asked } = answering({});
    expect(await get(http, { url }, ['other.net'])).toEqual({
      kind: 'refused',
      detail: 'GET https://example.com/a: example.com is not among the hosts that are allowed: other.net',
    });
    expect(await get(http, { url }, ['*.com'])).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{ host: 'internal' }, 'headers of the connection'],
    [{ 'Content-Length': '3' }, 'headers of the connection'],
    [{ 'Proxy-Authorization': 'x' }, 'headers of the connection'],
    [{ 'x-a': 'b\r\nx-c: d' }, 'headers.x-a'],
    [{ 'bad name': 'x' }, 'headers'],
    [{ accept: 7 }, 'headers.accept'],
  ])('sets no header like %j', async (headers, named) => {
    const { http, asked } = answering({});
    expect(await get(http, { url, headers })).toMatchObject({
      kind: 'invalid',
      detail: expect.stringContaining(named),
    });
    expect(asked).toEqual([]);
  });
});
