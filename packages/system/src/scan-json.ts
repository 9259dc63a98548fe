/** Where in a value: field names and list indices from the top. */
export type ValuePath = readonly (string | number)[];

/** Tells of a field at its name, and of an element of a list at its start. The path changes on the way: do not keep it. */
export type Visit = (path: ValuePath, offset: number) => void;

export interface Spot {
  readonly offset: number;
  readonly message: string;
}

interface Level {
  /** The names so far, of an object. */
  readonly names: Set<string> | undefined;
  wantsName: boolean;
}

/**
 * Walks a text that `JSON.parse` has accepted, and finds what that does not mind: a name that stands twice in one object
 * (of which it keeps the last), a whole number that it rounds, and what is nested deeper than `nestingMax`.
 */
export const scanJson = (text: string, nestingMax: number, visit?: Visit): readonly Spot[] => {
  const spots: Spot[] = [];
  const levels: Level[] = [];
  const path: (string | number)[] = [];

  const open = (offset: number, isObject: boolean): void => {
    begin(offset);
    levels.push({ names: isObject ? new Set() : undefined, wantsName: isObject });
    if (!isObject) path.push(-1);
    if (levels.length === nestingMax + 1) spots.push({ offset, message: `nested deeper than ${nestingMax}` });
  };

  const close = (): void => {
    levels.pop();
    path.length = levels.length; // each level stands for one part; an object's own is not there yet before its first name
  };

  /** A value begins: in a list that is the next element. */
  const begin = (offset: number): void => {
    const depth = levels.length;
    if (depth === 0 || levels[depth - 1]?.names !== undefined) return;
    path[depth - 1] = Number(path[depth - 1]) + 1;
    visit?.(path, offset);
  };

  const named = (level: Level, name: string, offset: number): void => {
    if (level.names?.has(name))
      spots.push({ offset, message: `the name ${JSON.stringify(name)} stands twice` });
    level.names?.add(name);
    level.wantsName = false;
    path[levels.length - 1] = name;
    visit?.(path, offset);
  };

  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '{':
      case '[':
        open(at, text[at] === '{');
        break;
      case '}':
      case ']':
        close();
        break;
      case ',':
        if (level?.names !== undefined) level.wantsName = true;
        break;
      case '"': {
        const end = endOfText(text, at);
        if (level?.wantsName) named(level, textAt(text, at, end), at);
        else begin(at);
        at = end;
        break;
      }
      case ':':
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break;
      default: {
        begin(at);
        const end = endOfWord(text, at);
        // Only what is as long as the largest can be above it.
        if (end - at >= 15 && isRounded(text.slice(at, end + 1)))
          spots.push({ offset: at, message: roundedSaid(text.slice(at, end + 1)) });
        at = end;
      }
    }
  }
  return spots;
};

/**
 * Whether this is a whole number that would come out with other digits than it went in with: what is stored is one of its
 * neighbours. What any program wrote of a number that it had comes out as it was.
 */
export const isRounded = (source: string): boolean => {
  if (!/^([-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source)) return false;
  const value = Number(source);
  // What has no end is told of by itself.
  if (!Number.isFinite(value) || Number.isSafeInteger(value)) return false;
  const [digits = '', power] = Math.abs(value).toExponential().replace('.', '').split('e+');
  return source.replace(/^[-+]?0*/, '') !== digits.padEnd(Number(power) + 1, '0');
};

export const roundedSaid = (source: string): string =>
  `${source.slice(0, 40)} is a whole number that would be rounded; write it in quotes`;

const endOfText = (text: string, from: number): number => {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
};

const textAt = (text: string, from: number, end: number): string => {
  const plain = text.slice(from + 1, end);
  return plain.includes('\\') ? String(JSON.parse(text.slice(from, end + 1))) : plain;
};

/** Of a number, or of `true`, `false` and `null`. */
const endOfWord = (text: string, from: number): number => {
  let at = from;
  while (/[-+.\w]/.test(text[at + 1] ?? '')) at += 1;
  return at;
};
