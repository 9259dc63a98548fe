export { factWords } from './fact-words.ts';
export { type SqliteMemory, type SqliteSettings, sqliteMemory } from './sqlite-memory.ts';
