import { z } from 'zod';
import { limits } from './limits.ts';
import { soundText } from './sound.ts';

/**
 * How the world can fail us. `unavailable` and `throttled` took nothing on; `unanswered` may have happened; `invalid`
 * goes back to its author; `refused` is explained, never retried; `overflow` must shrink first.
 */
export const FaultKind = z.enum(['unavailable', 'throttled', 'unanswered', 'invalid', 'refused', 'overflow']);
export type FaultKind = z.infer<typeof FaultKind>;

/** `retry_after_ms` absent means never: who makes the fault knows the class of the effect, and decides. */
export const Fault = z.strictObject({
  kind: FaultKind,
  detail: z.string(),
  source: z.string().max(limits.nameLengthMax).optional(),
  retry_after_ms: z.int().nonnegative().optional(),
});
export type Fault = z.infer<typeof Fault>;

/** What crosses a port instead of an exception. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const fail = (fault: Fault): { readonly ok: false; readonly fault: Fault } => ({ ok: false, fault });

/** Makes a fault, its detail cut to 4 KiB on a character boundary. */
export const fault = (
  kind: FaultKind,
  detail: string,
  more: { source?: string; retry_after_ms?: number } = {},
): Fault => ({
  kind,
  detail: cut(detail, limits.faultDetailBytesMax),
  ...more,
});

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const cutMark = ' … (cut)';

/**
 * The longest start of `text` that fits `bytesMax`, marked when something is missing and there is room to say so; with no
 * half characters in it.
 */
export const cut = (given: string, bytesMax: number): string => {
  const text = soundText(given);
  if (text.length * 3 <= bytesMax) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= bytesMax) return text;
  const markBytes = encoder.encode(cutMark).length;
  const mark = bytesMax < markBytes ? '' : cutMark;
  let end = mark ? bytesMax - markBytes : bytesMax;
  // Back to where a character begins: its later bytes are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return decoder.decode(bytes.subarray(0, end)) + mark;
};
