import { FaultKind, json, Name } from '@foldmesh/envelope';
import { z } from 'zod';

const Call = z.strictObject({ name: z.string(), input: json.optional() });

const waitMs = z.int().nonnegative().optional();

/** What the model says in one turn; lookups `${input.…}` see what the agent was given. */
const Said = z.strictObject({
  /** Said only if the last results hold this text. */
  when: z.string().optional(),
  text: z.string().optional(),
  reasoning: json.optional(),
  calls: z.array(Call).optional(),
  fault: z
    .union([
      z.strictObject({ kind: FaultKind, detail: z.string(), retry_after_ms: waitMs }),
      /** As a provider says it, which never says what class that is. */
      z.strictObject({
        status: z.int().min(400).max(599),
        detail: z.string().optional(),
        retry_after_ms: waitMs,
      }),
    ])
    .optional(),
  usage: z
    .strictObject({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() })
    .optional(),
});
export type Said = z.infer<typeof Said>;

/** A model's part as a file: turn by turn, each one thing to say or several of which the first that fits is said. */
export const Script = z.strictObject({
  name: Name.optional(),
  turns: z
    .array(z.union([Said, z.array(Said).min(1)]))
    .min(1)
    .max(2_000),
});
export type Script = z.infer<typeof Script>;
