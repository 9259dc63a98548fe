import type { z } from 'zod';
import { knownFields, meantText } from './known-fields.ts';

/** One thing wrong with what a client sent, and where: field names and list indices from the top. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * What a schema complains of, each name by itself that it does not know, and which one may have been meant; `named` says
 * what such a name is of.
 */
export const problemsIn = (
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  named = 'field',
): readonly Problem[] => {
  const within =
    (above: Problem['path']) =>
    (issue: z.core.$ZodIssue): readonly Problem[] => {
      const path = [...above, ...issue.path.filter((part) => typeof part !== 'symbol')];
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => ({
          path: [...path, key],
          message: `unknown ${named} ${key}${meantText(key, knownFields(schema, path))}`,
        }));
      const closest = issue.code === 'invalid_union' ? closestBranch(issue) : [];
      return closest.length === 0 ? [{ path, message: issue.message }] : closest.flatMap(within(path));
    };
  return issues.flatMap(within([]));
};

/** Of a union's branches the complaints of the one that got furthest into the value, and has the fewest; none where none got in. */
const closestBranch = ({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] => {
  const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  const [closest = []] = errors.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length);
  return depthOf(closest) === 0 ? [] : closest;
};
