/** `lifts[n]` turns what was written in version n + 1 into what version n + 2 writes. */
export type Lifts = readonly ((older: unknown) => unknown)[];
