import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Started } from './command-line.ts';

/** The real process under way, and where it listens. */
const up = async (
  at: Bench,
): Promise<{ readonly process: Started; readonly url: string; readonly port: number }> => {
  const process = at.start(['up', '--port', '0']);
  let said = '';
  process.process.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await process.says(/http:\/\/127\.0\.0\.1:\d+/);
  const port = Number(/:(\d+) /.exec(said)?.[1]);
  return { process, url: `http://127.0.0.1:${port}`, port };
};

const job = (ms: number): string =>
  JSON.stringify({
    name: 'job',
    plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms } }], result: '${tasks.a.output.ms}' },
  });

const submit = async (url: string, body: string, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(`${url}/v1/jobs`, { method: 'POST', body, headers });
  expect(response.status).toBe(202);
  return (await read(response)).id;
};

/** A connection as it is, to which nothing is said that the test does not say. */
const raw = async (
  port: number,
): Promise<{ readonly socket: Socket; readonly heard: () => string; readonly gone: Promise<void> }> => {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  socket.on('error', () => undefined);
  // Closed or reset: what was heard until then is what counts.
  const gone = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, heard: () => heard, gone };
};

const postHead = (length: number): string =>
  [
    'POST /v1/jobs HTTP/1.1',
    'host: 127.0.0.1',
    `content-length: ${length}`,
    'expect: 100-continue',
    '',
    '',
  ].join('\r\n');

/** JSON as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape it is about to check.
const read = async (response: Response): Promise<any> => response.json();

describe('foldmesh up', () => {
  it('serves a job from its submit to its result', async () => {
    await using at = await bench();
    const { url, process } = await up(at);
    const id = await submit(url, job(200), { 'idempotency-key': '"k"' });
    expect(await submit(url, job(200), { 'idempotency-key': 'k' })).toBe(id);
    const stream = await fetch(`${url}/v1/jobs/${id}/events`);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect((await stream.text()).match(/^event: job-completed$/gm)).toHaveLength(1);
    const record = await read(await fetch(`${url}/v1/jobs/${id}`));
    expect(record).toMatchObject({ id, status: 'completed', result: 200, durability: 'process' });
    // A list may be a moment behind.
    await eventually(async () =>
      expect((await read(await fetch(`${url}/v1/jobs?status=completed`))).jobs).toMatchObject([{ id }]),
    );
    const cancelled = await submit(url, job(600_000));
    const following = await fetch(`${url}/v1/jobs/${cancelled}/events`);
    const reader = following.body?.pipeThrough(new TextDecoderStream()).getReader();
    // It begins at once, and not when its job has ended.
    let text = (await reader?.read())?.value ?? '';
    expect((await fetch(`${url}/v1/jobs/${cancelled}/cancel`, { method: 'POST' })).status).toBe(202);
    for (let more = await reader?.read(); more?.done === false; more = await reader?.read())
      text += more.value;
    expect(text).toContain('event: job-cancelled');
    expect((await fetch(`${url}/v1/jobs/${id}/inputs/a.1.0`, { method: 'POST', body: '{}' })).status).toBe(
      404,
    );
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const foreign = await fetch(`${url}/v1/jobs`, { headers: { origin: 'http://elsewhere.example' } });
    expect([foreign.status, foreign.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
    process.process.kill('SIGINT');
    expect(await process.ended).toMatchObject({ code: 0 });
  });

  it('ends in time with streams open, connections idle and a request in hand, which is answered', async () => {
    await using at = await bench();
    const { url, port, process } = await up(at);
    const id = await submit(url, job(60_000));
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { socket, heard, gone } = await raw(port);
        socket.write(`GET /v1/jobs/${id}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
        await eventually(() => expect(heard()).toContain('event: tasks-assigned'));
        return { heard, gone };
      }),
    );
    const idle = await Promise.all(Array.from({ length: 20 }, () => raw(port)));
    const running = await raw(port);
    const body = job(1);
    running.socket.write(postHead(body.length));
    // Only then has the process heard of it: until it accepts, a connection is the kernel's.
    await eventually(() => expect(running.heard()).toContain('100 Continue'));
    running.socket.write(body.slice(0, 10));
    const began = performance.now();
    process.process.kill('SIGTERM');
    await process.says(/ending/);
    for (const { gone } of streams) await gone;
    running.socket.write(body.slice(10));
    await running.gone;
    expect(running.heard()).toMatch(/^HTTP\/1\.1 202 /m);
    const ended = await process.ended;
    // 5 s on a machine that has nothing else to do; its grace is 25 s.
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(ended.code).toBe(0);
    for (const { heard } of streams) expect(heard()).toContain('retry: 1000');
    for (const { socket } of idle) socket.destroy();
  });

  it('ends at once at the second signal', async () => {
    await using at = await bench();
    const { port, process } = await up(at);
    const { socket, heard } = await raw(port);
    socket.write(postHead(10));
    await eventually(() => expect(heard()).toContain('100 Continue'));
    process.process.kill('SIGTERM');
    const began = performance.now();
    await process.says(/ending/);
    // Signals that come as one, as from a group kill, are one.
    await eventually(
      () => {
        process.process.kill('SIGTERM');
        expect(process.process.exitCode).toBe(143);
      },
      { everyMs: 50 },
    );
    expect(performance.now() - began).toBeLessThan(10_000);
    socket.destroy();
  });

  it('says in one sentence that its port is in use, or is none', async () => {
    await using at = await bench();
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const bound = taken.address();
    const port = typeof bound === 'object' ? bound?.port : undefined;
    const inUse = await at.run(['up', '--port', String(port)]);
    taken.close();
    expect([inUse.code, inUse.err]).toEqual([
      2,
      `port ${port} is in use: name another with --port or api.port; 0 picks a free one\n`,
    ]);
    for (const wrong of ['65536', 'http']) {
      const { code, err } = await at.run(['up', `--port=${wrong}`]);
      expect([code, err]).toEqual([2, `--port wants a number from 0 to 65535, got "${wrong}"\n`]);
    }
  });
});
