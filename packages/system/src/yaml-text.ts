import { brokenIn, type Json, limits } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import { type Spot, scanJson, type ValuePath, type Visit } from './scan-json.ts';
import { jsonOf, rootOf, visitNodes } from './yaml-nodes.ts';

/** What a file of YAML or JSON holds, and where in it things stand. */
export interface ParsedText {
  readonly value: Json;
  /** The line of a field's name or of a list's element, from 1; of the closest thing around it where it is missing. */
  lineOf(path: ValuePath): number | undefined;
}

/** More would scroll the first away. */
const problemsMax = 20;

export interface TextLimits {
  /** A larger text is read as JSON alone: YAML takes seconds for each MiB, in which nothing else is done. */
  readonly yamlBytesMax: number;
}

/**
 * The value of a text in YAML or JSON, or what is wrong with it, each as one line that begins with `name` and place.
 * What YAML has and JSON has not, two fields of one name, and texts beyond the limits of the wire are problems.
 */
export const yamlText = (
  text: string,
  name: string,
  { yamlBytesMax }: TextLimits = { yamlBytesMax: limits.bodyBytesMax },
): ParsedText | { readonly problems: readonly string[] } => {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bodyBytesMax) {
    return { problems: [`${name}: the text has ${bytes} bytes, the limit is ${limits.bodyBytesMax}`] };
  }
  const lines = linesOf(text);
  const read = bytes > yamlBytesMax ? readJson(text) : readText(text, bytes);
  if (!('spots' in read)) {
    const parsed = { value: read.value, lineOf: finder(read.walk, lines) };
    const broken = brokenIn(read.value);
    if (broken === undefined) return parsed;
    return { problems: [problemText(name, parsed, { path: [...broken.path], message: broken.what })] };
  }
  const said = read.spots
    .slice(0, problemsMax)
    .map(({ offset, message }) => `${name}:${lines.placeOf(offset)}: ${message}`);
  const more = read.spots.length - said.length;
  return { problems: more > 0 ? [...said, `${name}: and ${more} more`] : said };
};

/** A problem with what the text means, at its line: `job.yaml:12: plan.tasks.1.skil: unknown field skil`. */
export const problemText = (
  name: string,
  parsed: Pick<ParsedText, 'lineOf'>,
  { path, message }: Problem,
): string => {
  const line = parsed.lineOf(path);
  const at = line === undefined ? name : `${name}:${line}`;
  return path.length > 0 ? `${at}: ${path.join('.')}: ${message}` : `${at}: ${message}`;
};

type ReadText =
  | { readonly value: Json; readonly walk: (visit: Visit) => void }
  | { readonly spots: readonly Spot[] };

/** JSON is read twenty times faster than YAML. What only looks like it may be YAML in braces. */
const readText = (text: string, bytes: number): ReadText => {
  if (!/^\s*[{[]/.test(text)) return readYaml(text, bytes);
  const parsed = parseJson(text);
  if ('value' in parsed) return scanned(text, parsed.value);
  const read = readYaml(text, bytes);
  // Of a broken file in JSON, YAML complains about something else, elsewhere.
  return 'spots' in read && parsed.spot !== undefined && /^\s*\{\s*"/.test(text)
    ? { spots: [parsed.spot] }
    : read;
};

const readJson = (text: string): ReadText => {
  const parsed = parseJson(text);
  if ('value' in parsed) return scanned(text, parsed.value);
  return { spots: [parsed.spot ?? { message: 'it is no JSON, or ends too early', offset: text.length }] };
};

const scanned = (text: string, value: Json): ReadText => {
  const spots = scanJson(text, limits.nestingMax);
  if (spots.length > 0) return { spots };
  return { value, walk: (visit) => void scanJson(text, limits.nestingMax, visit) };
};

const parseJson = (text: string): { readonly value: Json } | { readonly spot: Spot | undefined } => {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The engine names the place in some of its messages only.
    const [, message, offset] = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(String(error)) ?? [];
    return { spot: message === undefined ? undefined : { message, offset: Number(offset) } };
  }
};

const readYaml = (text: string, bytes: number): ReadText => {
  const parsed = rootOf(text);
  if ('spots' in parsed) return parsed;
  const read = jsonOf(parsed.root, bytes);
  return 'spots' in read ? read : { value: read.value, walk: (visit) => visitNodes(parsed.root, visit) };
};

interface Lines {
  lineOf(offset: number): number;
  /** `line:column`, both from 1. */
  placeOf(offset: number): string;
}

const linesOf = (text: string): Lines => {
  let starts: readonly number[] | undefined;
  const startsOf = (): readonly number[] => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    return starts;
  };
  const lineOf = (offset: number): number => {
    const all = startsOf();
    let low = 0;
    let high = all.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((all[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  return {
    lineOf,
    placeOf: (offset) => `${lineOf(offset)}:${offset - (startsOf()[lineOf(offset) - 1] ?? 0) + 1}`,
  };
};

/** Looks at the whole text once, when a line is first asked for: a file with one mistake often has it everywhere. */
const finder = (walk: (visit: Visit) => void, lines: Lines): ParsedText['lineOf'] => {
  let offsets: Map<string, number> | undefined;
  const offsetsOf = (): ReadonlyMap<string, number> => {
    if (offsets !== undefined) return offsets;
    const found = new Map<string, number>();
    walk((path, offset) => void found.set(keyOf(path), offset));
    offsets = found;
    return found;
  };
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsetsOf().get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return lines.lineOf(offset);
    }
    return undefined;
  };
};

const keyOf = (path: ValuePath): string => path.join('\0');
