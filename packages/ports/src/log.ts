export type Level = 'debug' | 'info' | 'warn' | 'error';

/** Structured logging; `fields` are JSON values, never prompts or secrets. */
export type Log = (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;
