import type { Tree } from './tree.ts';

/** One fault, as `path:line: what is wrong, and how to mend it`. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly wrong: string;
}

/** What a rule did: how many things it looked at, and what it found; `notes` are printed and fail nothing. */
export interface Verdict {
  readonly looked: number;
  readonly findings: readonly Finding[];
  readonly notes?: readonly Finding[];
}

export interface Rule {
  readonly name: string;
  /** What is counted, for the summary: "imports", "files". */
  readonly unit: string;
  /** Fewer than this means that the rule looked past its target, which fails like a finding. */
  readonly lookedMin: number;
  readonly check: (tree: Tree) => Verdict;
}
