// Words that hide what a thing is. The abbreviations and the drawer words are wrong anywhere in a name; `common` is
// an honest adjective (`commonPrefix`) and wrong only where it is the whole name.
const anywhere = new Set(['msg', 'ctx', 'opts', 'util', 'utils', 'helper', 'helpers', 'misc']);

/** The first forbidden word of a name in kebab, snake or camel case. */
export const forbiddenWord = (name: string): string | undefined => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  if (words.length === 1 && words[0] === 'common') return 'common';
  return words.find((word) => anywhere.has(word));
};
