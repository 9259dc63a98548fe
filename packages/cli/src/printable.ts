/** What a terminal obeys instead of showing it: controls, but for those that lines are made of, and what turns text around. */
const steering = /(?!\n|\t|\r\n)[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text as a terminal may have it: what users and models wrote might move its cursor, hide a line or set its clipboard.
 * Written as JSON writes it, so that a document of JSON remains one.
 */
export const printable = (text: string): string =>
  text.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Text for a stream: as a terminal may have it, or for anything else as it is. */
export const shownOn = ({ isTTY }: { readonly isTTY?: boolean }, text: string): string =>
  isTTY === true ? printable(text) : text;
