import type { Said, Script } from './script.ts';

/** What is said in a turn: the first that fits the results before it. */
export const saidIn = (options: Script['turns'][number], results: string): Said | undefined =>
  (Array.isArray(options) ? options : [options]).find(
    ({ when }) => when === undefined || results.includes(when),
  );
