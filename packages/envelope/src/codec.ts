import { type Fault, fail, fault, ok, type Result } from './fault.ts';
import type { Json } from './json.ts';
import { limits } from './limits.ts';

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true });

export const encodeJson = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));

export const encodeText = (text: string): Uint8Array => encoder.encode(text);

/** What came in parts, in one piece of its own. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** UTF-8 of an object of which some fields are JSON already: what is long is made into text once. */
export const encodeFields = (fields: object, texts: Readonly<Record<string, string>>): Uint8Array => {
  const known = JSON.stringify(fields).slice(1, -1);
  const given = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return encoder.encode(`{${[...(known === '' ? [] : [known]), ...given].join(',')}}`);
};

/** Bytes to JSON; size, UTF-8 and nesting are checked before anything parses, each fault names what was wrong. */
export const decodeJson = (bytes: Uint8Array, bytesMax: number = limits.bodyBytesMax): Result<Json> => {
  if (bytes.length > bytesMax)
    return fail(fault('overflow', `the body has ${bytes.length} bytes, the limit is ${bytesMax}`));
  const text = decodeUtf8(bytes);
  if (!text.ok) return text;
  const deep = tooDeep(bytes);
  if (deep) return fail(deep);
  try {
    return ok(JSON.parse(text.value) as Json); // JSON.parse yields nothing else
  } catch (error) {
    return fail(fault('invalid', `not JSON: ${error instanceof Error ? error.message : String(error)}`));
  }
};

export const decodeUtf8 = (bytes: Uint8Array): Result<string> => {
  try {
    return ok(strict.decode(bytes));
  } catch {
    return fail(fault('invalid', 'not UTF-8'));
  }
};

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside strings, so that a parser's stack is never at stake. */
const tooDeep = (bytes: Uint8Array): Fault | undefined => {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limits.nestingMax)
        return fault('invalid', `nested deeper than ${limits.nestingMax} at byte ${at}`);
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return undefined;
};
