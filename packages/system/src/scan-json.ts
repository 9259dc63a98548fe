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
 * (of which it keeps the last), and what is nested deeper than `nestingMax`.
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
      default:
        begin(at);
        at = endOfWord(text, at);
    }
  }
  return spots;
};

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
