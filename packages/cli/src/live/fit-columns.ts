const signsOf = (text: string): readonly string[] =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** Emoji, and the scripts whose signs take two columns. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** How many of these signs, from the first, fit into so many columns. */
const fitting = (signs: readonly string[], columns: number): number => {
  let left = columns;
  const over = signs.findIndex((sign) => {
    left -= wide.test(sign) ? 2 : 1;
    return left < 0;
  });
  return over === -1 ? signs.length : over;
};

/** The beginning of a line that a terminal shows in so many columns: one that is longer is broken, and cannot be drawn over. */
export const firstColumns = (text: string, columns: number): string => {
  const signs = signsOf(text);
  return signs.slice(0, fitting(signs, columns)).join('');
};

/** The same of its end, with a mark for what is left out. */
export const lastColumns = (text: string, columns: number): string => {
  const signs = signsOf(text);
  if (fitting(signs, columns) === signs.length) return text;
  const kept = fitting(signs.toReversed(), columns - 1);
  return `…${signs.slice(signs.length - kept).join('')}`;
};
