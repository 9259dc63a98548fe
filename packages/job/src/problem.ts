import { firstIssue } from '@foldmesh/envelope';
import { z } from 'zod';

/** One thing wrong with what a client sent, and where: field names and list indices from the top. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a schema complains of, each name by itself that it does not know; `named` says what such a name is of. */
export const problemsIn = (issues: readonly z.core.$ZodIssue[], named = 'field'): readonly Problem[] =>
  issues.flatMap((issue): readonly Problem[] => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown ${named} ${key}` }));
    return [{ path, message: issue.code === 'invalid_union' ? closestUnion(issue) : issue.message }];
  });

/** Of a union's complaints the one that got furthest into the value, else what the union as a whole says. */
const closestUnion = (issue: z.core.$ZodIssueInvalidUnion): string => {
  const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
  return deepest === undefined || deepest.path.length === 0
    ? issue.message
    : firstIssue(new z.ZodError([deepest]));
};
