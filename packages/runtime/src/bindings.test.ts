import { encodeJson, fail, fault, ok } from '@foldmesh/envelope';
import { type JobState, jobFold } from '@foldmesh/job';
import { describe, expect, it } from 'vitest';
import { bindingValue, readResult, walk } from './bindings.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { job, tenant } from './testing/messages.ts';
import { blobValues } from './values.ts';

const bench = async () => {
  const fake = fakePorts();
  const put = await fake.ports.blobs.put(tenant, job, encodeJson({ deep: [{ n: 7 }] }));
  if (!put.ok) throw new Error('not stored');
  const values = blobValues(fake.ports.blobs);
  return {
    fake,
    ref: put.value,
    resolve: (binding: Parameters<typeof bindingValue>[0]) => bindingValue(binding, tenant, job, values),
  };
};

describe('a binding', () => {
  it('is a value, or a part of it', async () => {
    const { resolve } = await bench();
    expect(await resolve({ value: { a: [1, 2] } })).toEqual(ok({ a: [1, 2] }));
    expect(await resolve({ value: { a: [1, 2] }, path: ['a', '1'] })).toEqual(ok(2));
  });

  it('is what lies elsewhere, or a part of it', async () => {
    const { resolve, ref } = await bench();
    expect(await resolve({ ref, path: ['deep', '0', 'n'] })).toEqual(ok(7));
  });

  it('is one entry per child, in order, with a null for each gap', async () => {
    const { resolve, ref } = await bench();
    const list = [{ value: 1 }, null, { ref }];
    expect(await resolve({ list })).toEqual(ok([1, null, { deep: [{ n: 7 }] }]));
    expect(await resolve({ list: [] })).toEqual(ok([]));
  });

  it('into one child reads only that one', async () => {
    const { fake, resolve, ref } = await bench();
    const list = [{ value: 'a' }, null, { ref }];
    expect(await resolve({ list, path: ['0'] })).toEqual(ok('a'));
    expect(await resolve({ list, path: ['1', 'x'] })).toEqual(ok(null));
    expect(fake.given('blobs.get').length).toBe(0);
    expect(await resolve({ list, path: ['2', 'deep'] })).toEqual(ok([{ n: 7 }]));
  });

  it('to what is not there is invalid, and says what is', async () => {
    const { resolve, ref } = await bench();
    expect(await resolve({ ref, path: ['shallow'] })).toMatchObject({
      fault: { kind: 'invalid', detail: 'no shallow; the keys there are deep' },
    });
    for (const index of ['3', 'x', '-1', '__proto__'])
      expect(await resolve({ list: [null, null], path: [index] })).toMatchObject({
        fault: { kind: 'invalid', detail: `no ${index}; there is a list of 2` },
      });
  });

  it('that cannot be read passes the fault on', async () => {
    const { fake, resolve, ref } = await bench();
    const away = fail(fault('unavailable', 'away'));
    fake.answer('blobs.get', away, away);
    expect(await resolve({ ref })).toEqual(away);
    expect(await resolve({ list: [{ value: 1 }, { ref }] })).toEqual(away);
    expect(walk(away, ['x'])).toEqual(away);
  });
});

describe("a job's result", () => {
  const ended = (result: unknown): JobState => ({
    ...jobFold.initial(),
    tenant,
    job,
    spec: { name: 'a', split: 'auto', wall_ms: 1, inputs: { who: 'me', n: 3 }, result: result as never }, // any JSON
  });

  it('is its template with every lookup in its place', async () => {
    const { fake } = await bench();
    const state = ended({ text: 'for ${inputs.who}', n: '${inputs.n}' });
    expect(await readResult(state, blobValues(fake.ports.blobs))).toEqual(ok({ text: 'for me', n: 3 }));
  });

  it('of no job at all is a fault', async () => {
    const { fake } = await bench();
    expect(await readResult(jobFold.initial(), blobValues(fake.ports.blobs))).toMatchObject({ ok: false });
  });
});
