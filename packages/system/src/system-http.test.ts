import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemHttp } from './system-http.ts';

/** A real server on a free port of this machine. */
const serving = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer);
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
};

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const never = new AbortController().signal;

/** What these tests ask: servers on this machine, which nobody may be sent to unless they are named. */
const here = ['127.0.0.1', '*.invalid', '169.254.169.254'];

const get = async (
  url: string,
  more: { headers?: Record<string, string>; bytesMax?: number; signal?: AbortSignal } = {},
) => {
  const { headers = {}, bytesMax = 1_000, signal = never } = more;
  const answer = await systemHttp({ allow: here }).get({ url, headers, bytesMax }, signal);
  return answer.ok ? { ...answer.value, body: new TextDecoder().decode(answer.value.body) } : answer.fault;
};

describe('systemHttp', () => {
  it('gives status, headers and body of whatever the server says', async () => {
    const at = await serving((request, response) => {
      response.writeHead(429, { 'retry-after': '7', 'x-seen': request.headers['x-mine'] });
      response.end('slow down');
    });
    const answer = await get(`${at}/a`, { headers: { 'x-mine': 'yes' } });
    expect(answer).toMatchObject({
      status: 429,
      body: 'slow down',
      headers: { 'retry-after': '7', 'x-seen': 'yes' },
    });
  });

  it('takes an answer without a body', async () => {
    const at = await serving((_, response) => response.writeHead(204).end());
    expect(await get(at)).toMatchObject({ status: 204, body: '' });
  });

  it('takes as many bytes as were allowed, and leaves at the first too many', async () => {
    let sent = 0;
    const at = await serving((request, response) => {
      if (request.url === '/fits') return response.end('x'.repeat(1_000));
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', more);
      return more();
    });
    expect(await get(`${at}/fits`)).toMatchObject({ status: 200 });
    expect(await get(`${at}/endless?key=secret`)).toEqual({
      kind: 'overflow',
      detail: `GET ${at}/endless: the answer has more than 1000 bytes`,
    });
    expect(sent).toBeLessThan(50_000_000);
  });

  it('counts what a compressed answer unpacks to', async () => {
    const at = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(50_000_000)));
    });
    expect(await get(at, { bytesMax: 100_000 })).toMatchObject({ kind: 'overflow' });
  });

  describe('redirects', () => {
    it('follows five, and not a sixth', async () => {
      const at = await serving((request, response) => {
        const left = Number(request.url?.slice(1));
        if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end('moved');
        else response.end('there');
      });
      expect(await get(`${at}/5`)).toMatchObject({ status: 200, body: 'there' });
      expect(await get(`${at}/6`)).toEqual({ kind: 'invalid', detail: `GET ${at}/6: more than 5 redirects` });
    });

    it('takes no credentials along to another origin, by whatever name', async () => {
      const seen: unknown[] = [];
      const other = await serving((request, response) => {
        seen.push(request.headers);
        response.end('there');
      });
      const at = await serving((_, response) => response.writeHead(307, { location: `${other}/x` }).end());
      const headers = {
        authorization: 'Bearer canary',
        'x-api-key': 'canary',
        cookie: 'canary',
        accept: 'text/plain',
      };
      expect(await get(at, { headers })).toMatchObject({ status: 200 });
      expect(seen).toMatchObject([{ accept: 'text/plain' }]);
      expect(JSON.stringify(seen)).not.toContain('canary');
    });

    it('keeps them on the way to the same origin', async () => {
      const at = await serving((request, response) => {
        if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
        else response.end(String(request.headers['x-api-key']));
      });
      expect(await get(`${at}/old`, { headers: { 'x-api-key': 'mine' } })).toMatchObject({ body: 'mine' });
    });

    it.each([
      ['file:///etc/passwd', /neither http: nor https:/],
      ['http://169.254.169.254/latest/meta-data', /where credentials lie/],
      ['http://user:secret@127.0.0.1/', /credentials/],
    ])('are held to the same rules: %s', async (location, why) => {
      const at = await serving((_, response) => response.writeHead(302, { location }).end());
      expect(await get(at)).toMatchObject({ kind: 'refused', detail: expect.stringMatching(why) });
    });

    it('lead to no host that is not allowed', async () => {
      let asked = 0;
      const other = await serving((_, response) => {
        asked += 1;
        response.end('there');
      });
      const at = await serving((_, response) => response.writeHead(302, { location: other }).end());
      const http = systemHttp({ allow: [new URL(at).host] });
      const answer = await http.get({ url: at, headers: {}, bytesMax: 10 }, never);
      expect(answer).toMatchObject({ ok: false, fault: { kind: 'refused' } });
      expect(asked).toBe(0);
    });

    it('without a place to go are an answer like any other', async () => {
      const at = await serving((_, response) => response.writeHead(304).end());
      expect(await get(at)).toMatchObject({ status: 304 });
    });
  });

  it('asks this machine and private networks only by a host that was named', async () => {
    let asked = 0;
    const at = await serving((_, response) => {
      asked += 1;
      response.end('inside');
    });
    const port = new URL(at).port;
    const inside = async () => ['127.0.0.1'];
    const answerOf = async (url: string, allow?: readonly string[], addressesOf?: typeof inside) => {
      const http = systemHttp({ allow, ...(addressesOf && { addressesOf }) });
      const answer = await http.get({ url, headers: {}, bytesMax: 100 }, never);
      return answer.ok ? answer.value.status : answer.fault.kind;
    };
    const name = `http://inside.example:${port}/`;
    expect(await answerOf(at)).toBe('refused');
    expect(await answerOf(`http://localhost:${port}/`)).toBe('refused');
    expect(await answerOf(name, undefined, inside)).toBe('refused');
    expect(await answerOf('http://outside.example/', undefined, async () => ['10.1.2.3'])).toBe('refused');
    expect(asked).toBe(0);
    expect(await answerOf(at, ['127.0.0.1'])).toBe(200);
    expect(await answerOf(`http://localhost:${port}/`, [`localhost:${port}`])).not.toBe('refused');
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/iam', 'http://169.254.169.254/latest/meta-data/iam'],
    ['http://2852039166/', 'http://169.254.169.254/'],
    ['http://0xa9fea9fe/', 'http://169.254.169.254/'],
    ['http://[::ffff:a9fe:a9fe]/', 'http://[::ffff:a9fe:a9fe]/'],
  ])('never asks the metadata service of a cloud, however it is written: %s', async (url, shown) => {
    expect(await get(url)).toMatchObject({ kind: 'refused', detail: expect.stringContaining(shown) });
  });

  it('never asks it by a name of which one address is its', async () => {
    const addressesOf = async () => ['127.0.0.1', '169.254.169.254'];
    const http = systemHttp({ addressesOf, allow: ['harmless.example'] });
    const answer = await http.get({ url: 'http://harmless.example/', headers: {}, bytesMax: 10 }, never);
    expect(answer).toMatchObject({ ok: false, fault: { kind: 'refused' } });
  });

  describe('what goes wrong', () => {
    it('nobody listens: later', async () => {
      const server = createServer();
      const port = await listening(server);
      server.close();
      expect(await get(`http://127.0.0.1:${port}/a?token=secret`)).toEqual({
        kind: 'unavailable',
        detail: `GET http://127.0.0.1:${port}/a: no answer (ECONNREFUSED)`,
        retry_after_ms: 1_000,
      });
    });

    it('the name is unknown: later', async () => {
      const answer = await get('http://no-such-host.invalid/');
      expect(answer).toMatchObject({ kind: 'unavailable', retry_after_ms: 1_000 });
    });

    it('the connection breaks in the middle of the answer: later', async () => {
      const at = await serving((_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      });
      expect(await get(at)).toMatchObject({ kind: 'unavailable', retry_after_ms: 1_000 });
    });

    it('what answers does not speak HTTP: later', async () => {
      const port = await listening(createSocketServer((socket) => socket.end('SSH-2.0-hello\r\n')));
      expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({
        kind: 'unavailable',
        retry_after_ms: 1_000,
      });
    });

    it('nothing answers until the signal aborts, before the head or in the body: later', async () => {
      const at = await serving((request, response) => {
        if (request.url === '/body') response.write('a beginning');
      });
      for (const path of ['/head', '/body']) {
        const answer = await get(`${at}${path}`, { signal: AbortSignal.timeout(50) });
        expect(answer).toMatchObject({
          kind: 'unavailable',
          detail: expect.stringContaining('stopped'),
          retry_after_ms: 1_000,
        });
      }
    });

    it('nobody is asked when the signal has aborted already', async () => {
      let asked = 0;
      const http = systemHttp({
        addressesOf: async () => {
          asked += 1;
          throw new Error('a rejection that nobody would have heard');
        },
      });
      const answer = await http.get(
        { url: 'http://slow.example/', headers: {}, bytesMax: 10 },
        AbortSignal.abort(),
      );
      expect(answer).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
      expect(asked).toBe(0);
    });

    it('a name that takes too long to look up is not waited for', async () => {
      const http = systemHttp({ addressesOf: () => Promise.withResolvers<readonly string[]>().promise });
      const answer = await http.get(
        { url: 'http://slow.example/', headers: {}, bytesMax: 10 },
        AbortSignal.timeout(20),
      );
      expect(answer).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    });

    it.each(['', 'not an address', '/relative', 'http://'])('%j is no address: never', async (url) => {
      expect(await get(url)).toEqual({
        kind: 'invalid',
        detail: 'the url cannot be read as an absolute address',
      });
    });

    it('a header that cannot be sent: never, and its value is not repeated', async () => {
      const answer = await get('http://127.0.0.1/', { headers: { 'x-key': 'canary\r\nx: y' } });
      expect(answer).toEqual({ kind: 'invalid', detail: 'one of the headers x-key cannot be sent' });
    });

    it('a port that no browser would ask: never', async () => {
      expect(await get('http://127.0.0.1:6000/')).toEqual({
        kind: 'invalid',
        detail: expect.stringContaining('http://127.0.0.1:6000/: this port'),
      });
    });
  });
});
