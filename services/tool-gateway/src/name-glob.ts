/**
 * Whether a name fits a pattern, in which `*` stands for any run of characters and `?` for one; all else is itself. It
 * goes back only to the last `*`, so that no pattern takes longer than both lengths multiplied.
 */
export const nameMatches = (pattern: string, name: string): boolean => {
  let at = 0;
  let star = -1;
  let retryAt = 0;
  let index = 0;
  while (index < name.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      retryAt = index;
    } else if (pattern[at] === '?' || pattern[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      retryAt += 1;
      index = retryAt;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
};
