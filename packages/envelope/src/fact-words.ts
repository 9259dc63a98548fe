const word = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words that a fact is found by and that a query names, each once. Taken apart here and not by a store, whose tokenisers
 * know fewer scripts: every memory must find the same. Up and then down again, so that `ß` meets `SS` and a final `ς` its `Σ`.
 */
export const factWords = (text: string): readonly string[] => [
  ...new Set(text.normalize('NFKC').toUpperCase().toLowerCase().match(word) ?? []),
];
