import { type JobId, ok, sha256Hex, type TenantId } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import { defineTool, type Tool, z } from '@foldmesh/sdk';
import { FilePath } from './file-path.ts';

/** UTF-16 units, so at most three times as many bytes. */
const textLengthMax = 2 * 1024 * 1024;

const Input = z.strictObject({ path: FilePath, text: z.string().max(textLengthMax) });

const Output = z.strictObject({
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** SHA-256 of what was written, 64 hex digits. */
  digest: z.string(),
});

/** Puts a text into the job's own folder. The same call twice leaves the same file. */
export const filesWrite = (output: (tenant: TenantId, job: JobId) => Files): Tool =>
  defineTool({
    name: 'files.write',
    description:
      "Writes a text file in UTF-8 below the job's output folder, whole or not at all, in place of what was there; " +
      'makes the folders it needs.',
    effect: 'idempotent',
    input: Input,
    output: Output,
    run: async ({ path, text }, { tenant, job }) => {
      const bytes = new TextEncoder().encode(text);
      const written = await output(tenant, job).write(path, bytes);
      return written.ok ? ok({ path, bytes: bytes.length, digest: sha256Hex(bytes) }) : written;
    },
  });
