import { Instant, json, ModelUsage } from '@foldmesh/envelope';
import { z } from 'zod';

const at = { at: Instant };

/** What a run said or was told. Calls are named `c<turn>-<call>`, as the model knows them. */
export const RunMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string(), ...at }),
  z.object({ role: z.literal('user'), text: z.string(), ...at }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), name: z.string(), input: json })).readonly(),
    /** Tokens; null where the provider did not say. */
    usage: ModelUsage.optional(),
    ...at,
  }),
  z.object({
    role: z.literal('tool'),
    call: z.string(),
    name: z.string(),
    text: z.string(),
    failed: z.boolean(),
    ...at,
  }),
]);
export type RunMessage = z.infer<typeof RunMessage>;

/** One page of what an agent saw and said, in order. */
export const RunMessages = z.object({
  job: z.string(),
  task: z.string(),
  round: z.int().positive(),
  agent: z.string(),
  model: z.string(),
  status: z.enum(['idle', 'model_calling', 'tool_calling', 'waiting', 'completed', 'failed', 'cancelled']),
  messages: z.array(RunMessage).readonly(),
  /** Of the whole run so far, as far as the provider said. */
  usage: z.object({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() }),
  next: z.int().nonnegative().optional(),
});
export type RunMessages = z.infer<typeof RunMessages>;
