export { chain } from './chain.ts';
export { dueHeap } from './due-heap.ts';
export { type EmbeddedDoors, openEmbedded } from './embedded.ts';
