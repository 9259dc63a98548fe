import { groups } from './groups.ts';

/** Core messages: not stored, and gone if nobody listens at the moment they arrive. */
export interface CoreSubjects {
  cast(subject: string, body: Uint8Array): void;
  listen(subject: string, hear: Hear): AsyncDisposable;
}

type Hear = (body: Uint8Array, subject: string) => void;

interface Ear {
  readonly pattern: readonly string[];
  readonly hear: Hear;
  open: boolean;
}

/** Exact subjects are looked up; patterns are tried one by one, of those there are few. */
export const coreSubjects = (): CoreSubjects => {
  const exact = groups<Ear>();
  const patterns = new Set<Ear>();

  const earsOf = (subject: string): readonly Ear[] => {
    const tokens = subject.split('.');
    return [...exact.of(subject), ...[...patterns].filter((ear) => matches(ear.pattern, tokens))];
  };

  return {
    cast: (subject, body) => {
      const copy = body.slice();
      // Later, and each listener on a stack of its own: one that throws must not silence the others.
      queueMicrotask(() => {
        for (const ear of earsOf(subject))
          queueMicrotask(() => {
            if (ear.open) ear.hear(copy.slice(), subject);
          });
      });
    },
    listen: (subject, hear) => {
      const ear: Ear = { pattern: subject.split('.'), hear, open: true };
      const isPattern = ear.pattern.some((token) => token === '*' || token === '>');
      if (isPattern) patterns.add(ear);
      else exact.add(subject, ear);
      return {
        [Symbol.asyncDispose]: async () => {
          ear.open = false;
          patterns.delete(ear);
          exact.remove(subject, ear);
        },
      };
    },
  };
};

const matches = (pattern: readonly string[], tokens: readonly string[]): boolean => {
  const rest = pattern.at(-1) === '>';
  const fixed = rest ? pattern.slice(0, -1) : pattern;
  if (rest ? tokens.length <= fixed.length : tokens.length !== fixed.length) return false;
  return fixed.every((token, at) => token === '*' || token === tokens[at]);
};
