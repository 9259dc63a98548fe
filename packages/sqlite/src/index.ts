export { type SqliteMemory, type SqliteSettings, sqliteMemory } from './sqlite-memory.ts';
