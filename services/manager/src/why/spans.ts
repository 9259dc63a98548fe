/** What is over within so long says so. Milliseconds. */
export const nearMs = 60_000;

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Milliseconds in the largest unit of which there is one, rounded down: `4 min`. */
export const spanOf = (ms: number): string => {
  const [unit, of] = units.find(([, length]) => ms >= length) ?? ['ms', 1];
  return `${Math.floor(ms / of)} ${unit}`;
};

export const agoOf = (now: number, at: number): string => `${spanOf(Math.max(0, now - at))} ago`;

/** At once where it is over. */
export const inTimeOf = (now: number, at: number): string =>
  at <= now ? 'at once' : `in ${spanOf(Math.max(0, at - now))}`;

const namesShownMax = 5;

/** The first names, and how many more there are. */
export const listOf = (names: readonly string[]): string => {
  const more = names.length - namesShownMax;
  return names.slice(0, namesShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

/** `1 message`, `2 messages`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
