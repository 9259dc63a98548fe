import { Digest, RunKind } from '@foldmesh/envelope';
import { z } from 'zod';

/** What jobs can use now: all that the pools offer, by kind and name. */
export const CatalogueListing = z.object({
  offers: z
    .array(
      z.object({
        kind: RunKind,
        name: z.string(),
        /** The workers that carry it out. */
        pool: z.string(),
        digest: Digest,
        /** Median of what it took lately, milliseconds; not known before it has run. */
        cost_ms: z.number().nonnegative().optional(),
        /** Of an agent: the tools that gateways have to offer before it can run. */
        needs_tools: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly(),
  pools: z.array(z.object({ pool: z.string(), slots: z.int().positive() })).readonly(),
});
export type CatalogueListing = z.infer<typeof CatalogueListing>;
