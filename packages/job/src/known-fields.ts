import { z } from 'zod';

/** The fields that a schema knows at a path into its values; none where it is no object there. */
export const knownFields = (schema: unknown, path: readonly (string | number)[]): readonly string[] => {
  const [step, ...rest] = path;
  if (isWrapped(schema)) return knownFields(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => knownFields(option, path));
  if (schema instanceof z.ZodArray) return knownFields(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  if (step === undefined) return Object.keys(shape);
  return Object.hasOwn(shape, step) ? knownFields(shape[step], rest) : [];
};

const isWrapped = (schema: unknown): schema is z.ZodOptional | z.ZodDefault | z.ZodPrefault =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;

/** What a sentence about a name that there is none of ends with: which of these names may have been meant. */
export const meantText = (name: string, names: readonly string[]): string => {
  const meant = closestName(name, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};

const lettersMax = 2;

/** Of these names the one that somebody who wrote `name` may have meant: two letters away at most, and not all of it. */
export const closestName = (name: string, names: readonly string[]): string | undefined => {
  const [closest] = names
    .map((known) => ({ known, away: lettersBetween(name, known) }))
    .filter(({ known, away }) => away <= lettersMax && away < Math.min(name.length, known.length) / 2)
    .toSorted((a, b) => a.away - b.away);
  return closest?.known;
};

/** How many letters have to be put in, left out or changed. Names are short: anything far longer is far away. */
const lettersBetween = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > lettersMax) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries())
      next.push(
        Math.min((row[at] ?? 0) + Number(letter !== other), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};
