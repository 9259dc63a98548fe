import { z } from 'zod';

/** A word that only a newer mesh knows. It is told apart from `string`, so that an editor still offers those that are known. */
type LaterWord = string & Record<never, never>;

/**
 * One of these words, or one that a newer mesh has besides: of what is only shown, a word that is not known must not make
 * the rest unreadable.
 */
export const openWord = <Word extends string>(known: z.ZodType<Word>): z.ZodType<Word | LaterWord> =>
  z.union([known, z.string()]);
