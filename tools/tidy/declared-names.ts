import { type BindingPattern, type ParamPattern, type Program, Visitor } from 'oxc-parser';
import type { Rule } from './rule.ts';
import { isCode } from './tree.ts';
import { forbiddenWord } from './words.ts';

interface Name {
  readonly name: string;
  readonly at: number;
}

/** No declared name carries one of the words that say nothing. */
export const declaredNames: Rule = {
  name: 'declared-names',
  unit: 'names',
  lookedMin: 100,
  check: (tree) => {
    let looked = 0;
    const findings = tree.paths.filter(isCode).flatMap((path) => {
      const { program, lineOf } = tree.module(path);
      const names = namesOf(program);
      looked += names.length;
      return names.flatMap(({ name, at }) => {
        const word = forbiddenWord(name);
        if (word === undefined) return [];
        return [{ path, line: lineOf(at), wrong: `"${word}" in ${name} says nothing; name what it holds` }];
      });
    });
    return { looked, findings };
  },
};

const namesOf = (program: Program): Name[] => {
  const found: Name[] = [];
  const add = (id: { readonly name: string; readonly start: number } | null): void => {
    if (id !== null) found.push({ name: id.name, at: id.start });
  };
  const addPattern = (pattern: BindingPattern | ParamPattern): void => {
    for (const id of bindingsOf(pattern)) found.push(id);
  };
  const addKey = (key: { readonly type: string; readonly start: number }): void => {
    if (key.type === 'Identifier' && 'name' in key && typeof key.name === 'string') {
      found.push({ name: key.name, at: key.start });
    }
  };
  const visitor = new Visitor({
    VariableDeclarator: ({ id }) => addPattern(id),
    FunctionDeclaration: ({ id, params }) => {
      add(id);
      params.forEach(addPattern);
    },
    FunctionExpression: ({ params }) => params.forEach(addPattern),
    ArrowFunctionExpression: ({ params }) => params.forEach(addPattern),
    ClassDeclaration: ({ id }) => add(id),
    PropertyDefinition: ({ key }) => addKey(key),
    TSTypeAliasDeclaration: ({ id }) => add(id),
    TSInterfaceDeclaration: ({ id }) => add(id),
    TSPropertySignature: ({ key }) => addKey(key),
  });
  visitor.visit(program);
  return found;
};

const bindingsOf = (pattern: BindingPattern | ParamPattern): Name[] => {
  switch (pattern.type) {
    case 'Identifier':
      return [{ name: pattern.name, at: pattern.start }];
    case 'AssignmentPattern':
      return bindingsOf(pattern.left);
    case 'RestElement':
      return bindingsOf(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : bindingsOf(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        bindingsOf(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'TSParameterProperty':
      return bindingsOf(pattern.parameter);
  }
};
