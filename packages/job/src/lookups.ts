import { cut, isJsonObject, type Json, limits } from '@foldmesh/envelope';

/** A `${…}`: a path in the job's inputs, in a task's output or gaps, or in the item of a `for_each` child. */
export type Lookup =
  | { readonly text: string; readonly of: 'inputs'; readonly path: readonly string[] }
  | { readonly text: string; readonly of: 'item'; readonly path: readonly string[] }
  | { readonly text: string; readonly of: 'output'; readonly task: string; readonly path: readonly string[] }
  | { readonly text: string; readonly of: 'gaps'; readonly task: string; readonly path: readonly string[] };

type Parsed<T> = { readonly pieces: readonly (string | T)[] } | { readonly wrong: string };

/**
 * Cuts a text into literal pieces and what `read` makes of the inside of each `${…}`; a text from `read` says what is
 * wrong with it. `$${` stands for a literal `${`.
 */
export const cutTemplate = <T extends object>(
  text: string,
  read: (inside: string) => T | string,
): Parsed<T> => {
  const pieces: (string | T)[] = [];
  let literal = '';
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('${', at);
    if (open < 0) {
      literal += text.slice(at);
      break;
    }
    if (text[open - 1] === '$' && open > at) {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = text.indexOf('}', open);
    if (close < 0) return { wrong: `the lookup ${text.slice(open, open + 40)} is not closed` };
    const inside = read(text.slice(open + 2, close).trim());
    if (typeof inside === 'string') return { wrong: inside };
    literal += text.slice(at, open);
    if (literal !== '') pieces.push(literal);
    literal = '';
    pieces.push(inside);
    at = close + 1;
  }
  if (literal !== '' || pieces.length === 0) pieces.push(literal);
  return { pieces };
};

/** Cuts a text of a job into literal pieces and lookups. */
export const parseTemplate = (text: string): Parsed<Lookup> => cutTemplate(text, parseLookup);

const parseLookup = (text: string): Lookup | string => {
  const [head, ...rest] = text.split('.');
  if (text === '' || rest.includes('')) return `the lookup \${${text}} has an empty part`;
  // What stands in a path travels in envelopes and events, whose schemas hold it to these bounds.
  if (rest.length > limits.nestingMax || rest.some((part) => part.length > limits.nameLengthMax))
    return `the lookup \${${cut(text, 200)}} is deeper than ${limits.nestingMax} or has a part longer than ${limits.nameLengthMax}`;
  if (head === 'inputs' || head === 'item') return { text, of: head, path: rest };
  const [task, kind, ...path] = rest;
  if (head === 'tasks' && task !== undefined && (kind === 'output' || kind === 'gaps'))
    return { text, of: kind, task, path };
  return `the lookup \${${text}} must start with inputs., item, or tasks.<id>.output or .gaps`;
};

/** Every lookup in a template, and every text in it that is no template. */
export const lookupsIn = (
  template: Json,
): { readonly lookups: readonly Lookup[]; readonly wrong: readonly string[] } => {
  const lookups: Lookup[] = [];
  const wrong: string[] = [];
  const walk = (value: Json): void => {
    if (typeof value === 'string') {
      const parsed = parseTemplate(value);
      if ('wrong' in parsed) wrong.push(parsed.wrong);
      else for (const piece of parsed.pieces) if (typeof piece !== 'string') lookups.push(piece);
    } else if (Array.isArray(value)) for (const element of value) walk(element);
    else if (isJsonObject(value)) for (const element of Object.values(value)) walk(element);
  };
  walk(template);
  return { lookups, wrong };
};

/** The lookup that a text consists of, if it is nothing else: then the value keeps its type. */
export const wholeLookup = (text: string): Lookup | undefined => {
  const parsed = parseTemplate(text);
  const [only, ...more] = 'wrong' in parsed ? [] : parsed.pieces;
  return more.length === 0 && only !== undefined && typeof only !== 'string' ? only : undefined;
};

/** Puts values in the place of lookups. Inside a longer text they become text: objects and lists as JSON. */
export const render = (template: Json, valueAt: (lookup: Lookup) => Json): Json => {
  if (typeof template === 'string') return renderText(template, valueAt);
  if (Array.isArray(template)) return template.map((element) => render(element, valueAt));
  if (!isJsonObject(template)) return template;
  // fromEntries defines its keys, so a field named __proto__ stays a field.
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, render(value, valueAt)]));
};

const renderText = (text: string, valueAt: (lookup: Lookup) => Json): Json => {
  if (!text.includes('${')) return text;
  const whole = wholeLookup(text);
  if (whole) return valueAt(whole);
  const parsed = parseTemplate(text);
  if ('wrong' in parsed) return text;
  return parsed.pieces.map((piece) => (typeof piece === 'string' ? piece : asText(valueAt(piece)))).join('');
};

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The value at a path, or what is missing and which keys are there instead. */
export const readPath = (
  value: Json,
  path: readonly string[],
): { readonly value: Json } | { readonly missing: string } => {
  let here: Json = value;
  for (const [depth, name] of path.entries()) {
    const found: Json | undefined = step(here, name);
    if (found === undefined) return { missing: `no ${path.slice(0, depth + 1).join('.')}; ${keysOf(here)}` };
    here = found;
  }
  return { value: here };
};

const step = (value: Json, name: string): Json | undefined => {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
};

const keysShownMax = 20;
const keysBytesMax = 1024;

const keysOf = (value: Json): string => {
  if (Array.isArray(value)) return `there is a list of ${value.length}`;
  if (!isJsonObject(value)) return `there is ${value === null ? 'null' : `a ${typeof value}`}`;
  const keys = Object.keys(value);
  const shown = cut(keys.slice(0, keysShownMax).join(', '), keysBytesMax);
  return `the keys there are ${shown || '(none)'}${keys.length > keysShownMax ? ` and ${keys.length - keysShownMax} more` : ''}`;
};
