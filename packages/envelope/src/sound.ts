import type { Json } from './json.ts';

// Half a character, as a text has at its end that was cut between the two parts of one (a lone surrogate), and a number
// without end can stand in memory and in no message: whatever makes a message of them throws.

const half = /\p{Cs}/u;
const halves = /\p{Cs}/gu;
/** The sign for a character that was lost, which every encoder of UTF-8 writes in its place. */
const lost = '\uFFFD';

/** The text with the sign for a lost character where half of one stood. */
export const soundText = (text: string): string => (half.test(text) ? text.replace(halves, lost) : text);

/** The value with such texts and names; itself where it has none. */
export const soundJson = (value: Json): Json => (brokenIn(value) === undefined ? value : mended(value));

/** The first place in a value that no message can carry, and what stands there. */
export const brokenIn = (
  value: Json,
  path: readonly (string | number)[] = [],
): { readonly path: readonly (string | number)[]; readonly what: string } | undefined => {
  if (typeof value === 'string') return half.test(value) ? { path, what: 'half a character' } : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, what: 'a number that is too large' };
  if (typeof value !== 'object' || value === null) return undefined;
  const inner: Iterable<[string | number, Json]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [name, one] of inner) {
    if (typeof name === 'string' && half.test(name)) return { path, what: 'half a character in a name' };
    const found = brokenIn(one, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

const mended = (value: Json): Json => {
  if (typeof value === 'string') return soundText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [soundText(name), mended(one)]));
};
