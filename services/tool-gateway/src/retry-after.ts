/** What is waited when nobody says how long. */
const ownBackOffMs = 1_000;

/**
 * Milliseconds that a `retry-after` asks for, seconds or a date; a second where it is neither. A date is compared with
 * the answer's own, so that no two clocks have to agree. Long waits stay long: who has the time decides.
 */
export const retryAfterMs = (headers: Readonly<Record<string, string>>): number => {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Number(text) * 1000);
  const at = Date.parse(headers['date'] ?? '');
  const until = isHttpDate(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(until - at) ? ownBackOffMs : bounded(until - at);
};

/** `Date.parse` takes almost anything: "-5" is a year to it. */
const isHttpDate = (text: string): boolean => /^[A-Z][a-z]{2,8}, ?\d/.test(text);

const bounded = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), Number.MAX_SAFE_INTEGER);
