import { type Fetch, foldmeshClient } from '@foldmesh/client';
import { expect, it } from 'vitest';
import { apiFinding } from './api-finding.ts';

const url = 'http://127.0.0.1:8080';

/** What the finding is where each path is answered with this status and body. */
const found = (answers: Readonly<Record<string, readonly [status: number, body: object]>>, at = url) => {
  const fetch: Fetch = async (asked) => {
    const answer = answers[new URL(asked).pathname];
    if (answer === undefined) throw new Error('connect ECONNREFUSED');
    return Response.json(answer[1], { status: answer[0] });
  };
  return apiFinding(foldmeshClient({ url: at, fetch }), { url: at, isNamed: false, hasKey: false });
};

const problem = (status: number, code: string, title: string, errors: readonly object[] = []) =>
  [
    status,
    { type: `urn:foldmesh:problem:${code}`, title, status, code, retryable: false, trace_id: '0', errors },
  ] as const;

const ready = (durability: string) => [200, { status: 'ready', durability }] as const;
const catalogue = [200, { offers: [], pools: [{ pool: 'default', slots: 1 }] }] as const;

it('misses no API that nobody named, and takes what is none for none', async () => {
  const nobody = await found({});
  expect([nobody.finding.reached, nobody.finding.problems, nobody.isServed]).toEqual([false, [], false]);
  const other = await found({ '/readyz': [404, { hello: 'world' }] });
  expect([other.finding.reached, other.finding.problems]).toEqual([false, []]);
});

it('says of one that answers and is not ready that it is not, and what it lacks', async () => {
  const errors = [{ path: ['inbox'], message: 'redis is away' }];
  const { finding, isServed } = await found({
    '/readyz': problem(503, 'not_ready', 'It is not ready', errors),
  });
  expect([finding.reached, finding.problems, isServed]).toEqual([
    true,
    [`${url} is not ready: inbox: redis is away`],
    true,
  ]);
  const ending = await found({
    '/readyz': problem(503, 'not_ready', 'It is not ready', [{ path: ['process'], message: 'it ends' }]),
  });
  expect([ending.finding.problems.length, ending.isServed]).toEqual([1, false]);
});

it('says of one that wants a key that none was given', async () => {
  const { finding, isServed } = await found({
    '/readyz': ready('best-effort'),
    '/v1/catalogue': problem(401, 'unauthorized', 'An API key is needed'),
  });
  expect([finding.reached, finding.problems, isServed]).toEqual([
    true,
    [`${url}: An API key is needed; set FOLDMESH_API_KEY, or name its file with --api-key-file`],
    true,
  ]);
});

it('needs servers for what is kept in them, and on this host alone', async () => {
  const served = async (durability: string, at?: string): Promise<boolean> =>
    (await found({ '/readyz': ready(durability), '/v1/catalogue': catalogue }, at)).isServed;
  expect([
    await served('process'),
    await served('durable'),
    await served('durable', 'http://mesh.example:8080'),
    await served('durable', 'http://[::1]:8080'),
  ]).toEqual([false, true, false, true]);
});
