import type { Json } from '@foldmesh/envelope';
import { limits } from '@foldmesh/envelope';
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
} from 'yaml';
import { isRounded, roundedSaid, type Spot, type Visit } from './scan-json.ts';

export type Root = ParsedNode | null;

/** YAML 1.2 as JSON has it: names are texts, no tags, no merge keys, whatever a directive in the text asks for. */
const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  prettyErrors: false,
  uniqueKeys: false, // quadratic in the library; `jsonOf` looks for itself
} as const;

/** The parser's stack has one or two entries for each level of nesting. */
const stackMax = 2 * limits.nestingMax + 8;

/**
 * The nodes of a text's one document. The nesting is measured while the flat tokens are put together, because the library
 * turns them into nodes by recursion, and a stack that overflows inside a regular expression ends the process.
 */
export const rootOf = (text: string): { readonly root: Root } | { readonly spots: readonly Spot[] } => {
  const parser = new Parser();
  let deepAt: number | undefined;
  function* tokens() {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      if (parser.stack.length <= stackMax) continue;
      deepAt = parser.offset;
      return;
    }
    yield* parser.end();
  }
  const documents: Document.Parsed[] = [];
  for (const document of new Composer(options).compose(tokens(), true, text.length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  if (deepAt !== undefined) return { spots: [tooDeep(deepAt)] };
  const [document, second] = documents;
  const wrong = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const spots = asLookups(
    text,
    wrong.map(({ pos, message }) => ({ offset: pos[0], message: oneLine(message) })),
  );
  if (second)
    spots.push({ offset: second.range[0], message: 'a second document begins here; there may be one' });
  return spots.length > 0 ? { spots } : { root: document?.contents ?? null };
};

/** A lookup that stands among braces without quotes ends what the library can follow: all that it says after it is noise. */
const asLookups = (text: string, spots: readonly Spot[]): Spot[] => {
  const at = spots.findIndex(({ offset }) => text.startsWith('${', offset - 1));
  const offset = (spots[at]?.offset ?? 0) - 1;
  return at < 0 ? [...spots] : [...spots.slice(0, at), { offset, message: unquoted }];
};

const unquoted = 'put ${…} in quotes: without them its brace begins an object';
const oneLine = (message: string): string => message.replaceAll(/\s+/g, ' ').trim();
const tooDeep = (offset: number): Spot => ({ offset, message: `nested deeper than ${limits.nestingMax}` });

interface Reading {
  readonly anchors: Map<string, Anchored>;
  readonly spots: Spot[];
  /** Bytes that the text would have with every alias written out. */
  expanded: number;
}

interface Read {
  readonly value: Json;
  /** Levels of nesting inside it. */
  readonly height: number;
}

interface Anchored extends Read {
  readonly expanded: number;
}

/** The value of the nodes, or what in them JSON does not have. Aliases may repeat, but not beyond what a text may weigh. */
export const jsonOf = (
  root: Root,
  textBytes: number,
): { readonly value: Json } | { readonly spots: readonly Spot[] } => {
  const reading: Reading = { anchors: new Map(), spots: [], expanded: textBytes };
  const { value } = read(reading, root, 0);
  return reading.spots.length > 0 ? { spots: reading.spots } : { value };
};

const nothing: Read = { value: null, height: 0 };

const read = (reading: Reading, node: Root, level: number): Read => {
  if (node === null) return nothing;
  if (isAlias(node)) return readAlias(reading, node, level);
  const before = reading.expanded;
  const found = isScalar(node) ? readScalar(reading, node) : readCollection(reading, node, level);
  if (node.anchor !== undefined) {
    const expanded = node.range[1] - node.range[0] + reading.expanded - before;
    reading.anchors.set(node.anchor, { ...found, expanded });
  }
  return found;
};

const readAlias = (
  reading: Reading,
  alias: { source: string; range: readonly number[] },
  level: number,
): Read => {
  const offset = alias.range[0] ?? 0;
  const wrong = (message: string): Read => {
    reading.spots.push({ offset, message });
    return nothing;
  };
  const target = reading.anchors.get(alias.source);
  if (target === undefined) return wrong(`there is no anchor ${alias.source} before it`);
  const already = reading.expanded;
  reading.expanded += target.expanded;
  if (already > limits.bodyBytesMax) return nothing; // said once
  if (reading.expanded > limits.bodyBytesMax)
    return wrong(`aliases make more than ${limits.bodyBytesMax} bytes`);
  return level + target.height > limits.nestingMax
    ? wrong(`nested deeper than ${limits.nestingMax}`)
    : target;
};

const readScalar = (
  reading: Reading,
  node: { value: unknown; range: readonly number[]; source?: string },
): Read => {
  const { value, source = '' } = node;
  if (typeof value === 'number' && isRounded(source)) {
    reading.spots.push({ offset: node.range[0] ?? 0, message: roundedSaid(source) });
    return nothing;
  }
  const isJson = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  if (isJson) return { value: value as Json, height: 0 }; // one of the four just looked for
  reading.spots.push({ offset: node.range[0] ?? 0, message: `${String(value)} is no value that JSON has` });
  return nothing;
};

const readCollection = (reading: Reading, node: ParsedNode, level: number): Read => {
  if (level >= limits.nestingMax) {
    reading.spots.push(tooDeep(node.range[0]));
    return nothing;
  }
  let height = 0;
  const inner = (child: Root | undefined): Json => {
    const found = read(reading, child ?? null, level + 1);
    height = Math.max(height, found.height);
    return found.value;
  };
  if (isSeq<ParsedNode>(node)) return { value: node.items.map(inner), height: height + 1 };
  const value: Record<string, Json> = {};
  for (const { name, offset, child } of fieldsOf(node)) {
    if (Object.hasOwn(value, name))
      reading.spots.push({ offset, message: `the name ${JSON.stringify(name)} stands twice` });
    // Defined, not assigned, so that a field named __proto__ stays a field.
    Object.defineProperty(value, name, {
      value: inner(child),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return { value, height: height + 1 };
};

interface Field {
  readonly name: string;
  readonly offset: number;
  readonly child: Root;
}

function* fieldsOf(node: ParsedNode): Iterable<Field> {
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''; // `stringKeys` leaves nothing else
    yield { name, offset: key.range[0], child: value };
  }
}

/** Tells where each field and each element stands; what an alias stands for is told of where it was written first. */
export const visitNodes = (node: Root, visit: Visit, path: readonly (string | number)[] = []): void => {
  if (node === null) return;
  const step = (part: string | number, offset: number, child: Root): void => {
    const here = [...path, part];
    visit(here, offset);
    visitNodes(child, visit, here);
  };
  if (isSeq<ParsedNode>(node))
    for (const [index, item] of node.items.entries()) step(index, item.range[0], item);
  else for (const { name, offset, child } of fieldsOf(node)) step(name, offset, child);
};
