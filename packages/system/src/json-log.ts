import type { Level, Log } from '@foldmesh/ports';
import { destination, pino } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = Level | 'silent';

interface LogSettings {
  /** The least that is written. */
  readonly level: LogLevel;
  /** Takes one line with its line break; stderr by default. */
  readonly write?: (line: string) => void;
}

/** One JSON object per line: `time` in ms UTC, `level` as a word, `message`, and the fields beside them. */
export const jsonLog = ({ level, write }: LogSettings): Log => {
  // Written at once: the last lines before a crash are those that matter. A closed pipe silences the log, no more.
  const stream = write === undefined ? destination({ fd: 2, sync: true }) : { write };
  const logger = pino(
    {
      level,
      messageKey: 'message',
      base: { pid: process.pid },
      timestamp: () => `,"time":${Date.now()}`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return (at, message, fields = {}) => {
    // Most of what is said is below the level: its fields are not even looked at.
    if (logger.isLevelEnabled(at)) logger[at](renamed(fields), message);
  };
};

const own = new Set(['time', 'level', 'message', 'pid']);

/** A field that has one of the log's own names gets a `_`, or the line would hold one key twice. */
const renamed = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [own.has(name) ? `${name}_` : name, value]),
  );
