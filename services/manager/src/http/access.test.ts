import { seededRandom } from '@foldmesh/embedded';
import { describe, expect, it } from 'vitest';
import type { ManagerApp } from './manager-app.ts';
import { fixedKeys } from './testing/fixed-keys.ts';
import { hear } from './testing/frames.ts';
import { type Answer, hold, jobOf, origin, stories, type TestApi } from './testing/test-api.ts';

const story = stories(it);

const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

/** Asks a door that wants keys; `authorization` is sent as it is. */
const asking =
  (app: ManagerApp) =>
  (method: string, path: string, authorization?: string, body?: unknown): Promise<Response> =>
    app(
      new Request(`${origin}${path}`, {
        method,
        headers: { traceparent: trace, ...(authorization !== undefined && { authorization }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );

const guarded = async (api: TestApi) => {
  const keys = fixedKeys(api.clock, seededRandom('keys'));
  return { keys, ask: asking(await api.open({ keys })) };
};

const job = jobOf([hold('a')]);

describe('an API with keys', () => {
  story('takes a path for what it leads to, however it is written', async (api) => {
    const { keys, ask } = await guarded(api);
    const [reader, submitter] = [keys.give('acme', 'read'), keys.give('acme', 'submit')];
    for (const path of [
      '/v1/jobs',
      '/v1/%6Aobs',
      '/v1/x/../jobs',
      '/livez/../v1/jobs',
      '/livez/%2e%2e/v1/jobs',
    ]) {
      const statuses = [undefined, `Bearer ${reader}`, `Bearer ${submitter}`].map(
        async (authorization) => (await ask('POST', path, authorization, job)).status,
      );
      expect([path, await Promise.all(statuses)]).toEqual([path, [401, 403, 202]]);
    }
    for (const path of ['/%6Civez', '/livez'])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
    for (const path of ['//livez', '/livez/', '/livez%2F', '/LIVEZ', '/livez/../openapi.json'])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 401]);
  });

  story('answers one and the same to whoever has none that is valid', async (api) => {
    const { keys, ask } = await guarded(api);
    const [expired, revoked, valid] = [
      keys.give('acme', 'admin', 1_000),
      keys.give('acme', 'admin'),
      keys.give('acme', 'admin'),
    ];
    keys.revoke(revoked);
    await api.clock.sleep(1_000);
    const [, id = '', secret = ''] = valid.split('_');
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${expired}`,
      `Bearer ${revoked}`,
      `Bearer fm_${id}_${'0'.repeat(64)}`,
      `Bearer fm_none_${secret}`,
      `Bearer ${valid}x`,
      `Basic ${valid}`,
      valid,
      `Bearer ${valid} ${valid}`,
    ];
    const said = new Set<string>();
    for (const authorization of wrong)
      for (const path of ['/v1/jobs', '/v1/jobs/j-none', '/v1/nowhere', '/openapi.json']) {
        const refused = await ask('GET', path, authorization);
        expect([authorization, refused.status]).toEqual([authorization, 401]);
        expect(refused.headers.get('www-authenticate')).toBe('Bearer');
        said.add(JSON.stringify([await refused.text(), Object.fromEntries(refused.headers)]));
      }
    expect(said.size).toBe(1);
    expect([...said][0]).toContain('unauthorized');
    for (const scheme of ['Bearer', 'bearer', 'BEARER '])
      expect((await ask('GET', '/v1/jobs', `${scheme} ${valid}`)).status).toBe(200);
  });

  story('names the role that is needed to who has a smaller one', async (api) => {
    const { keys, ask } = await guarded(api);
    const reader = `Bearer ${keys.give('acme', 'read')}`;
    const submitter = `Bearer ${keys.give('acme', 'submit')}`;
    const refused = await ask('POST', '/v1/jobs', reader, job);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      {
        code: 'role_too_small',
        title: 'This needs a key with the role submit',
        detail: 'the role of this key is read',
      },
    ]);
    const accepted = await ask('POST', '/v1/jobs', submitter, job);
    expect(accepted.status).toBe(202);
    const { id }: Answer = await accepted.json();
    expect((await ask('POST', `/v1/jobs/${id}/cancel`, reader)).status).toBe(403);
    expect((await ask('GET', `/v1/jobs/${id}`, reader)).status).toBe(200);
    expect((await ask('POST', '/v1/plan', reader, job)).status).toBe(200);
    expect((await ask('POST', `/v1/jobs/${id}/cancel`, submitter)).status).toBe(202);
    // What there is not yet is an operator's.
    expect((await ask('POST', `/v1/jobs/${id}/redrive`, submitter)).status).toBe(403);
    expect(
      (await ask('POST', `/v1/jobs/${id}/redrive`, `Bearer ${keys.give('acme', 'operate')}`)).status,
    ).toBe(404);
  });

  story(
    'tells who keeps it running how it is, without one, and what somebody should look at',
    async (api) => {
      const { keys, ask } = await guarded(api);
      expect((await ask('GET', '/livez')).status).toBe(200);
      expect(await (await ask('GET', '/readyz')).json()).toEqual({ status: 'ready', durability: 'process' });
      keys.revoke('fm_none_');
      const remarked = await ask('GET', '/readyz');
      expect([remarked.status, await remarked.json()]).toMatchObject([
        200,
        { status: 'ready', reasons: [expect.stringMatching(/^api\.keys: /)] },
      ]);
    },
  );

  story('ends a stream whose reader’s key is revoked or expires, with nothing more told', async (api) => {
    const { keys, ask } = await guarded(api);
    const [first, second, third] = [
      keys.give('acme', 'submit'),
      keys.give('acme', 'read', 20_000),
      keys.give('acme', 'read'),
    ];
    const { id }: Answer = await (await ask('POST', '/v1/jobs', `Bearer ${first}`, job)).json();
    const began = api.clock.now();
    const listen = (key: string) =>
      ask('GET', `/v1/jobs/${id}/events`, `Bearer ${key}`).then((told) => hear(told));
    const [expiring, revoked] = [listen(second), listen(third)];
    await api.clock.sleep(10_000);
    keys.revoke(third);
    // The next sign of life is 15 s after the last word, and is not told any more; nor is the one after 30 s.
    expect(await revoked).toMatchObject({ closed: true, comments: 0 });
    expect(await expiring).toMatchObject({ closed: true, comments: 1 });
    expect(api.clock.now()).toBeLessThanOrEqual(began + 30_000);
  });
});
