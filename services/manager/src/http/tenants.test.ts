import { seededRandom } from '@foldmesh/embedded';
import { invariant, TenantId } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { jobIdentity } from './idempotency-key.ts';
import type { ManagerApp } from './manager-app.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { fixedKeys } from './testing/fixed-keys.ts';
import { type Answer, hold, jobOf, origin, stories, type TestApi } from './testing/test-api.ts';

const story = stories(it);

type Ask = (operation: Operation, parts: Readonly<Record<string, string>>) => Promise<Response>;

/** Asks as the holder of a key, always within one trace, so that answers can be compared. */
const asker =
  (app: ManagerApp, key: string): Ask =>
  ({ method, route: { path } }, parts) =>
    app(
      new Request(`${origin}${path.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? 'none')}`, {
        method,
        headers: { traceparent, authorization: `Bearer ${key}` },
        ...(method === 'POST' && { body: JSON.stringify(bodies[path] ?? {}) }),
      }),
    );

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const bodies: Readonly<Record<string, unknown>> = { '/v1/jobs/{job}/inputs/{request}': { value: { n: 1 } } };

const scene = async (api: TestApi) => {
  const keys = fixedKeys(api.clock, seededRandom('keys'));
  const app = await api.open({ keys });
  const post = (key: string, spec: unknown, more: Readonly<Record<string, string>> = {}) =>
    app(
      new Request(`${origin}/v1/jobs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...more },
        body: JSON.stringify(spec),
      }),
    );
  const submit = async (
    key: string,
    spec: unknown,
    more?: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const { id }: Answer = await (await post(key, spec, more)).json();
    return id;
  };
  const get = async (key: string, path: string): Promise<Answer> =>
    (await app(new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } }))).json();
  const [acme, umbrella] = [keys.give('acme', 'admin'), keys.give('umbrella', 'admin')];
  return { app, acme, umbrella, submit, get };
};

const told = async (response: Response): Promise<unknown> => [
  response.status,
  Object.fromEntries(response.headers),
  await response.text(),
];

const ofJobs = operations.filter(({ route: { path } }) => path.includes('{job}'));

describe('another tenant’s job', () => {
  story('is like one that there is not, byte for byte, whatever is asked about it', async (api) => {
    const { app, acme, umbrella, submit, get } = await scene(api);
    const asks = { id: 'ask', agent: 'test-asker', input: {} };
    const store = { id: 'a', skill: 'test.store', input: 'kept' };
    const job = await submit(acme, jobOf([store, hold('b'), asks], { split: 'always' }));
    await api.clock.sleep(1_000);
    const record = await get(acme, `/v1/jobs/${job}`);
    const { artifacts } = await get(acme, `/v1/jobs/${job}/artifacts`);
    const parts = {
      task: 'ask',
      request: record.requests[0]?.request,
      digest: artifacts[0]?.digest,
    };
    invariant(parts.request !== undefined && parts.digest !== undefined, 'there is something to be found');
    const [stranger, owner] = [asker(app, umbrella), asker(app, acme)];
    expect(ofJobs.length).toBeGreaterThanOrEqual(5);
    for (const operation of ofJobs) {
      const foreign = await told(await stranger(operation, { job, ...parts }));
      const missing = await told(await stranger(operation, { job: 'j-none', ...parts }));
      expect([operation.route.path, foreign]).toEqual([operation.route.path, missing]);
      expect(foreign).toMatchObject([404, {}, expect.stringContaining('There is no such job')]);
    }
    // Nothing has come of it, and the owner finds all of it.
    expect(await get(acme, `/v1/jobs/${job}`)).toMatchObject({ status: 'running', requests: [{}] });
    for (const operation of ofJobs) {
      const response = await owner(operation, { job, ...parts });
      const isFound = response.status < 300 || !(await response.text()).includes('There is no such job');
      expect([operation.route.path, isFound]).toEqual([operation.route.path, true]);
      if (!response.bodyUsed) await response.body?.cancel();
    }
  });

  story('is in no list, and has an Idempotency-Key of its own', async (api) => {
    const { acme, umbrella, submit, get } = await scene(api);
    const spec = jobOf([hold('a')]);
    const key = { 'idempotency-key': 'k' };
    const ours = await submit(acme, spec, key);
    const theirs = await submit(umbrella, spec, key);
    expect(theirs).not.toBe(ours);
    expect([await submit(acme, spec, key), await submit(umbrella, spec, key)]).toEqual([ours, theirs]);
    await api.clock.sleep(1_000);
    for (const [holder, own] of [
      [acme, ours],
      [umbrella, theirs],
    ] as const)
      expect((await get(holder, '/v1/jobs')).jobs.map(({ id }: Answer) => id)).toEqual([own]);
  });
});

it('the ids of 1,000 jobs cannot be guessed from one another', () => {
  const random = seededRandom('ids');
  const tenant = TenantId.parse('acme');
  const ids = Array.from({ length: 1_000 }, () => jobIdentity(tenant, undefined, random).job);
  for (const id of ids) expect(id).toMatch(/^j-[0-9a-f]{32}$/);
  // Of 32 bits two in a thousand may be equal, of fewer more.
  expect(new Set(ids.map((id) => id.slice(0, 10))).size).toBeGreaterThan(995);
});
