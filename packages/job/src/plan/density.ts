import { type Graph, topological } from './graph.ts';

/**
 * Comparable pairs ÷ all pairs, from 0 (all independent) to 1 (a chain, and anything of fewer than two tasks): the
 * chance that two tasks picked at random can not run side by side. `weights[t]` is how many side-by-side tasks task t
 * stands for, a whole number: a `for_each` counts as its concurrency.
 *
 * One bit set of ancestors per task: 10,000 tasks take 12 MB and one pass over the edges.
 */
export const density = (graph: Graph, weights: readonly number[]): number => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total < 2) return 1;
  const words = Math.ceil(graph.length / 32);
  const ancestors = new Uint32Array(words * graph.length);
  const digits = digitsOf(weights, words);
  let comparable = 0;
  for (const task of topological(graph).order) {
    const own = ancestors.subarray(task * words, (task + 1) * words);
    for (const dep of graph[task] ?? []) {
      unite(own, ancestors.subarray(dep * words, (dep + 1) * words));
      own[dep >>> 5] = (own[dep >>> 5] ?? 0) | (1 << (dep & 31));
    }
    const before = digits.reduce((sum, digit, power) => sum + 2 ** power * countBoth(own, digit), 0);
    comparable += (weights[task] ?? 1) * before;
  }
  return comparable / ((total * (total - 1)) / 2);
};

const unite = (into: Uint32Array, from: Uint32Array): void => {
  for (let word = 0; word < into.length; word++) into[word] = (into[word] ?? 0) | (from[word] ?? 0);
};

/** Per binary digit of the weights the tasks that have it: what a set of tasks weighs is then a few counts of bits. */
const digitsOf = (weights: readonly number[], words: number): readonly Uint32Array[] => {
  const digits: Uint32Array[] = [];
  weights.forEach((weight, task) => {
    for (let power = 0; weight >= 2 ** power; power++) {
      const digit = digits[power] ?? new Uint32Array(words);
      digits[power] = digit;
      if ((weight >>> power) & 1) digit[task >>> 5] = (digit[task >>> 5] ?? 0) | (1 << (task & 31));
    }
  });
  return digits;
};

const countBoth = (a: Uint32Array, b: Uint32Array): number => {
  let sum = 0;
  for (let word = 0; word < a.length; word++) sum += ones((a[word] ?? 0) & (b[word] ?? 0));
  return sum;
};

/** Set bits of one word, by adding neighbours, then pairs, then nibbles. */
const ones = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
};
