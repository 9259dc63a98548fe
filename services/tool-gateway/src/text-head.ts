import { decodeUtf8, fail, fault, ok, type Result } from '@foldmesh/envelope';

/** What a tool may hand on of one text: more floods whoever reads it. */
export const textLimits = { bytesMax: 256 * 1024, bytesDefault: 64 * 1024 } as const;

const notText = (what: string) => fail(fault('invalid', `${what} is no text in UTF-8`));

/**
 * The start of a text as it stands, byte for byte, cut before the first character that does not fit whole. `what` names
 * it in the fault that bytes get which are no text.
 */
export const textHead = (what: string, bytes: Uint8Array, bytesMax: number): Result<string> => {
  const cut = bytes.length > bytesMax ? bytes.subarray(0, boundaryBefore(bytes, bytesMax)) : bytes;
  if (cut.includes(0)) return notText(what); // valid UTF-8, and in no text that anybody has written
  const text = decodeUtf8(cut);
  if (!text.ok) return notText(what);
  // A decoder swallows the mark at the start of a file; whoever writes the text back would change it.
  return ok(startsWithMark(cut) ? `\uFEFF${text.value}` : text.value);
};

const startsWithMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** A character has at most three bytes that continue it. */
const boundaryBefore = (bytes: Uint8Array, at: number): number => {
  let boundary = at;
  while (boundary > at - 3 && boundary > 0 && isContinuation(bytes[boundary])) boundary -= 1;
  return boundary;
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** How long a text is in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
