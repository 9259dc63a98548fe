import type { Fact } from '@foldmesh/ports';
import { factOf } from './memory-contract.ts';
import { samples } from './samples.ts';

const make = samples('crash');
export const crashTenant = make.tenant;

/** A fact of so many words that its writing takes long enough to be killed in the middle of. */
export const longFact = (step: number): Fact =>
  factOf({ make }, step, { text: wordsIn(step).join(' '), tags: [`step ${step}`], at: step });

export const wordsIn = (step: number): readonly string[] =>
  Array.from({ length: 1_500 }, (_, word) => `w${step}x${word}`);
