import type { Rule } from './rule.ts';
import { isSource } from './tree.ts';

/** No `let` outside a function: what a module remembers is shared by every world in the process. */
export const moduleState: Rule = {
  name: 'module-state',
  unit: 'statements',
  lookedMin: 50,
  check: (tree) => {
    let looked = 0;
    const findings = tree.paths.filter(isSource).flatMap((path) => {
      const { program, lineOf } = tree.module(path);
      looked += program.body.length;
      return program.body.flatMap((statement) => {
        const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (inner?.type !== 'VariableDeclaration' || inner.kind !== 'let') return [];
        const wrong = 'state of a module; keep it in a value that its owner makes and closes';
        return [{ path, line: lineOf(statement.start), wrong }];
      });
    });
    return { looked, findings };
  },
};
