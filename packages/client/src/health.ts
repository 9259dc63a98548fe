import { z } from 'zod';

export const Live = z.object({ status: z.literal('live') });
export const Ready = z.object({
  status: z.literal('ready'),
  durability: z.string(),
  /** What somebody should look at, though it works all the same. */
  reasons: z.array(z.string()).readonly().optional(),
});
export type Ready = z.infer<typeof Ready>;
