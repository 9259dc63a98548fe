import { Visitor } from 'oxc-parser';
import type { Module } from './module.ts';
import type { Rule } from './rule.ts';
import { isCode, isSource } from './tree.ts';

/**
 * What steps around a check says why, on its line or on the one above: a type assertion, a skipped test. `as const`
 * asserts nothing. Biome asks the same of `any` and `!`, through its own ignore comments.
 */
export const reasons: Rule = {
  name: 'reasons',
  unit: 'files',
  lookedMin: 10,
  check: (tree) => {
    const paths = tree.paths.filter(isCode);
    const findings = paths.flatMap((path) => {
      const module = tree.module(path);
      const found =
        path.endsWith('.test.ts') || path.startsWith('test/') ? skips(module) : assertions(module, path);
      const once = new Map(found.map((one) => [`${one.line} ${one.what}`, one]));
      return [...once.values()]
        .filter(({ line }) => !hasComment(module, line))
        .map(({ line, what }) => ({
          path,
          line,
          wrong: `${what} without a reason; say why in a comment on its line`,
        }));
    });
    return { looked: paths.length, findings };
  },
};

interface Found {
  readonly line: number;
  readonly what: string;
}

const assertions = ({ program, lineOf }: Module, path: string): Found[] => {
  const found: Found[] = [];
  if (!isSource(path)) return found;
  const visitor = new Visitor({
    TSAsExpression({ end, typeAnnotation }) {
      const isConst =
        typeAnnotation.type === 'TSTypeReference' && nameOf(typeAnnotation.typeName) === 'const';
      if (!isConst) found.push({ line: lineOf(end), what: 'a type assertion' });
    },
  });
  visitor.visit(program);
  return found;
};

const skips = ({ program, lineOf }: Module): Found[] => {
  const found: Found[] = [];
  const visitor = new Visitor({
    MemberExpression({ object, property, end }) {
      const subject = nameOf(object);
      const verb = nameOf(property);
      if (/^(describe|it|test|suite)$/.test(subject) && /^(skip|todo|skipIf|runIf|fails)$/.test(verb)) {
        found.push({ line: lineOf(end), what: `${subject}.${verb}` });
      }
    },
  });
  visitor.visit(program);
  return found;
};

const nameOf = (node: { readonly type: string }): string =>
  'name' in node && typeof node.name === 'string' ? node.name : '';

const hasComment = ({ comments, lineOf }: Module, line: number): boolean =>
  comments.some(
    ({ start, end }) => lineOf(start) === line || lineOf(end) === line || lineOf(end) === line - 1,
  );
