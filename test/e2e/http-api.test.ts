import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type FoldmeshClient, foldmeshClient, type StreamStep } from '@foldmesh/client';
import { eventually } from '@foldmesh/testbed';
import { describe, expect, it } from 'vitest';
import { bench } from './command-line.ts';
import { typesOf } from './generated-types.ts';
import { realMesh } from './mesh/real-mesh.ts';
import { upUrl } from './up-url.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What somebody writes who has nothing but the document. */
const program = `
import type { components, paths } from './api.d.ts';

type Submit = paths['/v1/jobs']['post'];
type Job = components['schemas']['JobSpec'];
type Accepted = Submit['responses']['202']['content']['application/json'];
type Problem = Submit['responses']['400']['content']['application/problem+json'];
type JobRecord = paths['/v1/jobs/{job}']['get']['responses']['200']['content']['application/json'];
type Query = NonNullable<paths['/v1/jobs']['get']['parameters']['query']>;

const url = process.argv[2] ?? '';
const ask = async <T>(path: string, init?: RequestInit): Promise<T> => (await (await fetch(url + path, init)).json()) as T;

const job: Job = { name: 'generated', plan: { tasks: [{ id: 'a', skill: 'debug.echo', input: { n: 1 } }], result: '\${tasks.a.output}' } };
const { id, links } = await ask<Accepted>('/v1/jobs', { method: 'POST', body: JSON.stringify(job) });
let record = await ask<JobRecord>(links['self'] ?? '');
while (record.ended_at === undefined) record = await ask<JobRecord>(\`/v1/jobs/\${id}\`);
const status: 'queued' | 'planning' | 'running' | 'waiting' | 'paused' | 'stopping' | 'completed' | 'failed' | 'cancelled' = record.status;
const query: Query = { limit: 1, status: [status] };
const wrong: Job = { name: 'generated', plan: { tasks: [{ id: 'a' }] } };
const { code, retryable } = await ask<Problem>('/v1/jobs', { method: 'POST', body: JSON.stringify(wrong) });
// @ts-expect-error A job has no such field.
const misspelt: Job = { name: 'generated', plna: {} };
console.log(JSON.stringify({ status, result: record.result, density: record.plan.decision?.density, limit: query.limit, code, retryable, misspelt }));
`;

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  module: 'NodeNext',
  target: 'ESNext',
  lib: ['ESNext'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  allowImportingTsExtensions: true,
  noEmit: true,
};

describe('the OpenAPI document of a server', () => {
  it('is enough to write a client with: its types compile, and what they say is so', {
    timeout: 180_000,
  }, async () => {
    await using at = await bench();
    const url = await upUrl(at);
    await at.write('package.json', '{ "type": "module" }');
    await at.write('api.d.ts', await typesOf(await (await fetch(`${url}/openapi.json`)).text()));
    await at.write('program.ts', program);
    await at.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['program.ts', 'api.d.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const complaints = await run(process.execPath, [compiler, '-p', at.folder]).then(
      () => '',
      ({ stdout, stderr }) => `it does not compile: ${stdout}${stderr}`,
    );
    expect(complaints).toBe('');
    const { stdout } = await run(process.execPath, [join(at.folder, 'program.ts'), url]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      result: { n: 1 },
      density: 1,
      limit: 1,
      code: 'invalid_job',
      retryable: false,
    });
  });
});

const echo = (name: string) => ({
  name,
  plan: { tasks: [{ id: 'a', skill: 'debug.echo', input: { n: 1 } }], result: '${tasks.a.output}' },
});

const told = async (client: FoldmeshClient, job: string): Promise<readonly StreamStep[]> => {
  const steps: StreamStep[] = [];
  for await (const step of client.events(job)) steps.push(step);
  return steps;
};

describe('the typed client', () => {
  it('does on a real server whatever the API can', { timeout: 180_000 }, async () => {
    await using at = await bench();
    const client = foldmeshClient({ url: await upUrl(at) });
    expect((await client.plan(echo('echo'))).first).toEqual([['a']]);
    const { id } = await client.submit(echo('echo'), { idempotencyKey: 'k', retryForMs: 10_000 });
    expect(
      (
        await client.submit(
          'name: echo\nplan: { tasks: [{ id: a, skill: debug.echo, input: { n: 1 } }], result: "${tasks.a.output}" }',
          { idempotencyKey: 'k' },
        )
      ).id,
    ).toBe(id);
    const kinds = (await told(client, id)).map((step) =>
      step.kind === 'event' ? step.event.kind : step.kind,
    );
    expect([kinds[0], kinds.at(-1)]).toEqual(['job-accepted', 'job-completed']);
    expect(await client.get(id)).toMatchObject({ status: 'completed', result: { n: 1 } });
    expect(await client.task(id, 'a')).toMatchObject({ attempts: [{ status: 'completed' }] });
    expect(await client.journal(id, { at: 1 })).toMatchObject({ at: 1, state: { status: 'queued' } });
    expect(await client.artifacts(id)).toEqual({ artifacts: [] });
    expect((await client.why(id)).status).toBe('completed');
    expect((await client.catalogue()).offers.map(({ name }) => name)).toContain('debug.echo');
    // A list may be a moment behind.
    await eventually(async () => {
      const listed: string[] = [];
      for await (const job of client.list({ name: 'ech*', status: ['completed'] })) listed.push(job.id);
      expect(listed).toEqual([id]);
    });
    const sleeper = {
      name: 's',
      plan: { tasks: [{ id: 'a', skill: 'debug.sleep', input: { ms: 60_000 } }] },
    };
    const slept = await client.submit(sleeper);
    expect((await client.cancel(slept.id, { reason: 'enough' })).status).toMatch(/^(stopping|cancelled)$/);
    expect((await told(client, slept.id)).at(-1)).toMatchObject({ event: { kind: 'job-cancelled' } });
    await expect(client.messages(id, 'a')).rejects.toMatchObject({ code: 'no_messages', status: 404 });
    await expect(client.get('j-none')).rejects.toMatchObject({ code: 'not_found', retryable: false });
  });
});

describe('one Idempotency-Key at two managers', () => {
  it('is one job of 20 requests at once, and still after both have been started anew', {
    timeout: 240_000,
  }, async () => {
    await using mesh = await realMesh({ managers: 2, workers: 1 });
    const clients = mesh.clients.map(({ url }) => foldmeshClient({ url }));
    const submit = (client: FoldmeshClient | undefined) =>
      client?.submit(echo('once'), { idempotencyKey: 'k', retryForMs: 30_000 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => submit(clients[n % 2])));
    const ids = new Set(answers.map((answer) => answer?.id));
    expect(ids.size).toBe(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    for (const manager of mesh.managers) {
      manager.child().kill('SIGKILL');
      await manager.start();
      await manager.ready();
    }
    for (const client of clients) {
      expect(ids).toContain((await submit(client))?.id);
      await expect(client.submit(echo('other'), { idempotencyKey: 'k' })).rejects.toMatchObject({
        status: 422,
      });
      const listed = await eventually(async () => {
        const { jobs } = await client.list({ name: 'once', status: ['completed'] }).page();
        if (jobs.length === 0) throw new Error('it has not ended');
        return jobs;
      });
      expect(listed).toHaveLength(1);
    }
  });
});
