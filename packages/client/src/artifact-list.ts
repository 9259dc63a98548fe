import { BlobRef } from '@foldmesh/envelope';
import { z } from 'zod';

/** Content that a job has made and that is too large to stand in its record: a task's output. */
export const Artifact = BlobRef.extend({ name: z.string(), task: z.string(), href: z.string() });
export type Artifact = z.infer<typeof Artifact>;

export const ArtifactPage = z.object({
  artifacts: z.array(Artifact).readonly(),
  next: z.string().optional(),
});
export type ArtifactPage = z.infer<typeof ArtifactPage>;
