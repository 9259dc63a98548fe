export { type MemoryFiles, memoryFiles } from './memory-files.ts';
