import { z } from 'zod';
import { Fault } from './fault.ts';
import { Digest, Name } from './ids.ts';
import { json } from './json.ts';

/** Content that lies in the blob store under its digest. */
export const BlobRef = z.strictObject({ digest: Digest, bytes: z.int().nonnegative() });
export type BlobRef = z.infer<typeof BlobRef>;

/** A value, or where it lies. */
export const Carried = z.union([z.strictObject({ value: json }), z.strictObject({ ref: BlobRef })]);
export type Carried = z.infer<typeof Carried>;

/** A call that had an outcome nobody can know: enough to let a person resolve it. */
export const OpenCall = z.strictObject({ call: z.string(), detail: z.string() });
export type OpenCall = z.infer<typeof OpenCall>;

/**
 * How a request ended. `unknown`: a side effect left and no answer came back, and it must not be tried again.
 * `cancelled`: stopped from outside before it was done.
 */
export const Outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), output: Carried }),
  z.strictObject({ kind: z.literal('failed'), fault: Fault }),
  z.strictObject({ kind: z.literal('unknown'), open: OpenCall }),
  z.strictObject({ kind: z.literal('cancelled') }),
  /** A tool that waits for a person: the answer, of the shape that `schema` (JSON Schema) says, is the call's output. */
  z.strictObject({ kind: z.literal('paused'), question: z.string().max(10_000), schema: json.optional() }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** Counted at the source, also for tries that failed. */
export const Usage = z.strictObject({
  tool_calls: z.int().nonnegative().optional(),
  model_calls: z.int().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** The kinds of thing that carry a task out, as the catalogue lists them. */
export const RunKind = z.enum(['agent', 'skill', 'tool', 'pipeline']);
export type RunKind = z.infer<typeof RunKind>;

export const Run = z.strictObject({ kind: RunKind, name: Name, inline: json.optional() });
export type Run = z.infer<typeof Run>;
