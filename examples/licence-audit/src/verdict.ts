import { z } from '@foldmesh/sdk';

export const Verdict = z.enum(['fine', 'review', 'contradiction']);
export type Verdict = z.infer<typeof Verdict>;

/** One package as the audit saw it. */
export const Finding = z.strictObject({
  path: z.string(),
  name: z.string(),
  version: z.string(),
  declared: z.string().nullable(),
  /** By the wording of its licence files. */
  detected: z.array(z.string()),
  /** Paths of its licence files. */
  texts: z.array(z.string()),
  verdict: Verdict,
  reason: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** What the agent answers; its declaration has the same shape. */
export const SecondLook = z.strictObject({
  verdict: z.enum(['contradiction', 'fine', 'unclear']),
  reason: z.string(),
});
export type SecondLook = z.infer<typeof SecondLook>;

/** Licences that ask for little more than to be kept with the code. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Zlib',
]);

/** What a manifest says, in the newer form or one of the two older ones. */
export const declaredLicence = (manifest: unknown): string | null => {
  const Old = z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]);
  const parsed = z.object({ license: Old.optional(), licenses: z.array(Old).optional() }).safeParse(manifest);
  if (!parsed.success) return null;
  return parsed.data.license ?? parsed.data.licenses?.join(' OR ') ?? null;
};

/** Names in an SPDX expression, without a suffix that says which later versions count too. */
const idsIn = (expression: string): readonly string[] =>
  expression
    .split(/\s+(?:OR|AND|WITH)\s+|[()]/i)
    .map((id) => id.trim().replace(/(-only|-or-later|\+)$/, ''))
    .filter((id) => id !== '');

/** A contradiction outweighs everything: what the package says of itself cannot be relied on. */
export const judge = (
  declared: string | null,
  detected: readonly string[],
  files: number,
): { readonly verdict: Verdict; readonly reason: string } => {
  if (declared === null) return { verdict: 'review', reason: 'declares no licence' };
  const ids = idsIn(declared);
  const strange = detected.filter((id) => !ids.includes(id));
  if (detected.length > 0 && strange.length === detected.length)
    return { verdict: 'contradiction', reason: `declares ${declared}, its text is ${strange.join(', ')}` };
  const unusual = ids.filter((id) => !permissive.has(id));
  if (unusual.length > 0)
    return { verdict: 'review', reason: `${unusual.join(', ')} asks for more than to be kept with the code` };
  if (strange.length > 0)
    return {
      verdict: 'review',
      reason: `declares ${declared}, and also carries the text of ${strange.join(', ')}`,
    };
  if (files === 0) return { verdict: 'review', reason: `declares ${declared} and carries no text of it` };
  if (detected.length === 0)
    return { verdict: 'review', reason: `declares ${declared}, and its text is not known` };
  return { verdict: 'fine', reason: declared };
};
