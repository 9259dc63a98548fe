import { type Expression, type Span, Visitor } from 'oxc-parser';
import type { Rule } from './rule.ts';
import { isSource } from './tree.ts';

const mode =
  /^(is|in|running)?_?(simulat(ed|ion|ing)|embedded|production|replay(ed|ing)?|chaos)(world|mode)?$/i;

/** No code asks in which world it runs: a world is the adapters it was handed. */
export const modes: Rule = {
  name: 'modes',
  unit: 'conditions',
  lookedMin: 20,
  check: (tree) => {
    let looked = 0;
    const findings = tree.paths.filter(isSource).flatMap((path) => {
      const { program, lineOf } = tree.module(path);
      const conditions: Expression[] = [];
      const names: (Span & { readonly name: string })[] = [];
      const visitor = new Visitor({
        IfStatement: ({ test }) => void conditions.push(test),
        ConditionalExpression: ({ test }) => void conditions.push(test),
        Identifier: ({ name, start, end }) => void names.push({ name, start, end }),
      });
      visitor.visit(program);
      looked += conditions.length;
      return names
        .filter(({ name }) => mode.test(name))
        .filter(({ start, end }) => conditions.some((test) => test.start <= start && end <= test.end))
        .map(({ name, start }) => {
          const wrong = `asks whether it runs in ${name}; hand in another adapter instead`;
          return { path, line: lineOf(start), wrong };
        });
    });
    return { looked, findings };
  },
};
