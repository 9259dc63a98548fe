import { type Comment, type EcmaScriptModule, type Program, parseSync, Visitor } from 'oxc-parser';

/** A parsed TypeScript file; lines count from 1. */
export interface Module {
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
  /** Names that the file passes on from another one: `export { a as b } from './a.ts'`. */
  readonly passedOn: readonly PassedOn[];
  lineOf(offset: number): number;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The imported names; empty where the whole module is taken. */
  readonly names: readonly string[];
}

interface PassedOn {
  readonly name: string;
  readonly specifier: string;
}

export const moduleOf = (path: string, text: string): Module => {
  const parsed = parseSync(path, text);
  const [error] = parsed.errors;
  if (error !== undefined) throw new Error(`tidy: ${path} cannot be parsed: ${error.message}`);
  const lineOf = lineFinder(text);
  return {
    program: parsed.program,
    comments: parsed.comments,
    imports: importsOf(parsed.module, parsed.program, text, lineOf),
    passedOn: parsed.module.staticExports.flatMap((statement) =>
      statement.entries.flatMap(({ moduleRequest, exportName }) =>
        moduleRequest === null || exportName.name === null
          ? []
          : [{ name: exportName.name, specifier: moduleRequest.value }],
      ),
    ),
    lineOf,
  };
};

/** Imports of every shape: static, dynamic with a literal, passed on, and `import('x')` as a type. */
const importsOf = (
  module: EcmaScriptModule,
  program: Program,
  text: string,
  lineOf: (offset: number) => number,
): Import[] => {
  const found: Import[] = module.staticImports.map(({ start, moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    line: lineOf(start),
    names: entries.flatMap(({ importName }) => (importName.name === null ? [] : [importName.name])),
  }));
  for (const { start, entries } of module.staticExports) {
    const specifiers = new Set(entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []));
    for (const specifier of specifiers) found.push({ specifier, line: lineOf(start), names: [] });
  }
  for (const { start, moduleRequest } of module.dynamicImports) {
    const literal = /^(['"`])([^$]*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2];
    if (literal !== undefined) found.push({ specifier: literal, line: lineOf(start), names: [] });
  }
  const visitor = new Visitor({
    TSImportType({ source, start }) {
      found.push({ specifier: source.value, line: lineOf(start), names: [] });
    },
  });
  visitor.visit(program);
  return found;
};

const lineFinder = (text: string): ((offset: number) => number) => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};
