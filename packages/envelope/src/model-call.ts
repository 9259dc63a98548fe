import { z } from 'zod';
import { Fault } from './fault.ts';
import { Name } from './ids.ts';
import { json } from './json.ts';
import { limits } from './limits.ts';
import { Carried } from './outcome.ts';
import { Probed } from './task-settle.ts';

/** Names the run and the position by its key, never the history: who asks the model reads the journal. */
export const ModelCall = z.strictObject({ agent: Name });

/** Tokens as the provider counted them; null where it did not say. */
export const ModelUsage = z.strictObject({
  input_tokens: z.int().nonnegative().nullable(),
  output_tokens: z.int().nonnegative().nullable(),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

/** Large answers travel by reference; `probed` says what others will need of one. */
const answer = { answer: Carried.optional(), probed: z.array(Probed).optional() };

/** A call that the model asks for. `problem`: it cannot be made, in words that tell the model how to mend it. */
export const RepliedCall = z.strictObject({
  name: z.string(),
  input: json,
  problem: z.string().max(limits.faultDetailBytesMax).optional(),
  ...answer,
});
export type RepliedCall = z.infer<typeof RepliedCall>;

export const Reply = z.strictObject({
  text: z.string(),
  reasoning: json.optional(),
  calls: z.array(RepliedCall).max(limits.turnCallsMax),
  usage: ModelUsage.optional(),
  ...answer,
});
export type Reply = z.infer<typeof Reply>;

export const ModelSettle = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), reply: Reply }),
  z.strictObject({ kind: z.literal('failed'), fault: Fault }),
  z.strictObject({ kind: z.literal('cancelled') }),
]);
