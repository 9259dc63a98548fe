import { digestOf } from '@foldmesh/envelope';
import { describe, expect } from 'vitest';
import { faultOf, got, promise, type Rig } from './rig.ts';
import { absentDigest, bytesOf } from './samples.ts';

/** What every blob store keeps: content by its digest, and nothing else under that name. */
export const blobsContract = (rig: Rig<'blobs'>): void => {
  describe(`blobs on ${rig.name}`, () => {
    promise(rig, 'a blob is found under the digest of its bytes', async ({ ports: { blobs }, make }) => {
      const bytes = bytesOf('content');
      const ref = got(await blobs.put(make.tenant, make.job, bytes));
      expect(ref).toEqual({ digest: digestOf(bytes), bytes: bytes.length });
      expect(got(await blobs.get(make.tenant, make.job, ref.digest))).toEqual(bytes);
    });

    promise(
      rig,
      'the same bytes put again, or at once by many, are one blob',
      async ({ ports: { blobs }, make }) => {
        const puts = Array.from({ length: 10 }, () => blobs.put(make.tenant, make.job, bytesOf('content')));
        const refs = (await Promise.all(puts)).map(got);
        expect(new Set(refs.map(({ digest }) => digest)).size).toBe(1);
        expect(got(await blobs.get(make.tenant, make.job, digestOf(bytesOf('content'))))).toEqual(
          bytesOf('content'),
        );
      },
    );

    promise(rig, 'what nobody has put is invalid, not empty', async ({ ports: { blobs }, make }) => {
      const absent = faultOf(await blobs.get(make.tenant, make.job, absentDigest));
      expect(absent.kind).toBe('invalid');
      // Somebody has to find out what it was, and where it should have been.
      expect(absent.detail).toContain(absentDigest);
    });

    promise(rig, "a blob is its job's own", async ({ ports: { blobs }, make }) => {
      const { digest } = got(await blobs.put(make.tenant, make.job, bytesOf('content')));
      expect(faultOf(await blobs.get(make.tenant, make.otherJob, digest)).kind).toBe('invalid');
      expect(faultOf(await blobs.get(make.otherTenant, make.job, digest)).kind).toBe('invalid');
    });

    promise(rig, 'a blob may be empty, and larger than a message', async ({ ports: { blobs }, make }) => {
      for (const size of [0, 1, 3 * 1024 * 1024]) {
        const bytes = new Uint8Array(size).map((_, at) => at % 251);
        const { digest } = got(await blobs.put(make.tenant, make.job, bytes));
        expect(digestOf(got(await blobs.get(make.tenant, make.job, digest)))).toBe(digestOf(bytes));
      }
    });

    promise(rig, 'the store keeps bytes of its own', async ({ ports: { blobs }, make }) => {
      const bytes = bytesOf('content');
      const put = blobs.put(make.tenant, make.job, bytes);
      bytes.fill(0);
      const { digest } = got(await put);
      got(await blobs.get(make.tenant, make.job, digest)).fill(0);
      expect(got(await blobs.get(make.tenant, make.job, digest))).toEqual(bytesOf('content'));
    });
  });
};
