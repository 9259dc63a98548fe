import { type BlobRef, encodeJson, fail, fault, type JobId, type Json } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { fakePorts } from './testing/fake-ports.ts';
import { job, tenant } from './testing/messages.ts';
import { blobValues, frozen } from './values.ts';

const stored = async (value: Json) => {
  const fake = fakePorts();
  const ref = await fake.ports.blobs.put(tenant, job, encodeJson(value));
  if (!ref.ok) throw new Error('not stored');
  return { fake, values: blobValues(fake.ports.blobs), ref: ref.value };
};

describe('values', () => {
  it('come as they are, or from where they lie, which is read once', async () => {
    const { fake, values, ref } = await stored([1, 2]);
    expect(await values.load(tenant, job, { value: 'here' })).toEqual({ ok: true, value: 'here' });
    for (let n = 0; n < 3; n++)
      expect(await values.load(tenant, job, { ref })).toEqual({ ok: true, value: [1, 2] });
    expect(fake.given('blobs.get').length).toBe(1);
  });

  it("of one job are not another one's", async () => {
    const { values, ref } = await stored([1, 2]);
    await values.load(tenant, job, { ref });
    expect(await values.load(tenant, 'j-2' as JobId, { ref })).toMatchObject({ ok: false }); // a token
  });

  it('that could not be read are not remembered as such', async () => {
    const { fake, values, ref } = await stored([1, 2]);
    fake.answer('blobs.get', fail(fault('unavailable', 'away')));
    expect(await values.load(tenant, job, { ref })).toMatchObject({ ok: false });
    expect(await values.load(tenant, job, { ref })).toMatchObject({ ok: true });
  });

  it('cannot be changed by who gets them: the next would find it in its own', async () => {
    const { values, ref } = await stored({ list: [{ n: 1 }] });
    const loaded = await values.load(tenant, job, { ref });
    const value = loaded.ok ? (loaded.value as { list: { n: number }[] }) : { list: [] };
    expect(() => value.list.push({ n: 2 })).toThrow(TypeError);
    expect(() => Object.assign(value.list[0] ?? {}, { n: 9 })).toThrow(TypeError);
    expect(await values.load(tenant, job, { ref })).toEqual({ ok: true, value: { list: [{ n: 1 }] } });
  });

  it('are forgotten, the oldest first, when they are too many bytes', async () => {
    const fake = fakePorts();
    const values = blobValues(fake.ports.blobs, 100);
    const refs: BlobRef[] = [];
    for (let n = 0; n < 4; n++) {
      const put = await fake.ports.blobs.put(tenant, job, encodeJson(`${n}`.padEnd(30, '.')));
      if (put.ok) refs.push(put.value);
    }
    for (const ref of refs) await values.load(tenant, job, { ref });
    const reads = fake.given('blobs.get').length;
    const [oldest, last] = [refs[0], refs[3]];
    if (oldest === undefined || last === undefined) throw new Error('nothing was stored');
    await values.load(tenant, job, { ref: last });
    expect(fake.given('blobs.get').length).toBe(reads);
    await values.load(tenant, job, { ref: oldest });
    expect(fake.given('blobs.get').length).toBe(reads + 1);
  });
});

describe('what is frozen', () => {
  it('is the same value, all the way down', () => {
    const value = { a: [{ b: 1 }], c: null };
    expect(frozen(value)).toBe(value);
    expect([value, value.a, value.a[0]].every(Object.isFrozen)).toBe(true);
    expect([frozen('text'), frozen(1), frozen(null)]).toEqual(['text', 1, null]);
  });
});
