import { type Fault, type FaultKind, fault } from '@foldmesh/envelope';

/** Who makes our faults. */
export const source = 'sqlite-memory';

/** Soon: somebody else has to finish. */
const soonMs = 1_000;
/** Later: somebody has to make room, or give back a volume. */
const laterMs = 5_000;

interface Saying {
  readonly kind: FaultKind;
  readonly says: string;
  /** Absent: never, until a person has done something and the service starts anew. */
  readonly retryMs?: number;
}

const damaged: Saying = { kind: 'unavailable', says: 'is damaged: restore it from a copy' };
const inUse: Saying = {
  kind: 'unavailable',
  says: 'is open already, and a memory on SQLite has one process: stop the other',
  retryMs: soonMs,
};

/** By SQLite's primary code. A code that is not here is a defect of ours: a wrong statement, a broken constraint. */
const sayings: ReadonlyMap<number, Saying> = new Map<number, Saying>([
  [3, { kind: 'refused', says: 'may not be opened' }],
  [5, inUse],
  [6, inUse],
  [7, { kind: 'unavailable', says: 'finds no memory left in its process', retryMs: soonMs }],
  [8, { kind: 'unavailable', says: 'can be read only', retryMs: laterMs }],
  [10, { kind: 'unavailable', says: 'cannot be read or written', retryMs: laterMs }],
  [11, damaged],
  [13, { kind: 'unavailable', says: 'has no room left', retryMs: laterMs }],
  [14, { kind: 'unavailable', says: 'cannot be opened', retryMs: laterMs }],
  [15, inUse],
  [18, { kind: 'overflow', says: 'takes no value of that length' }],
  [26, { kind: 'invalid', says: 'is not a database of SQLite' }],
]);

/**
 * What the world did. Every write is known by its id, so that what may be asked again may be asked again whether or not
 * it was done; the caller need not tell `unavailable` from `unanswered`. A defect is thrown on.
 */
export const sqliteFault = (path: string, error: unknown): Fault => {
  const saying = sayingOf(error);
  if (saying === undefined) throw error;
  const { kind, says, retryMs } = saying;
  const because = error instanceof Error ? ` (${error.message})` : '';
  return fault(kind, `${path} ${says}${because}`, {
    source,
    ...(retryMs !== undefined && { retry_after_ms: retryMs }),
  });
};

const sayingOf = (error: unknown): Saying | undefined => {
  // Only a fact's body is parsed, and it was JSON when it was written.
  if (error instanceof SyntaxError) return damaged;
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return sayings.get(error.errcode & 0xff);
  return 'code' in error && typeof error.code === 'string' ? fileSayings.get(error.code) : undefined;
};

const mayNot: Saying = { kind: 'refused', says: 'may not be written by this process' };
const noFile: Saying = { kind: 'invalid', says: 'cannot be a file' };

/** By the file system's code, from the steps before SQLite is asked. */
const fileSayings: ReadonlyMap<string, Saying> = new Map([
  ['EACCES', mayNot],
  ['EPERM', mayNot],
  ['EROFS', mayNot],
  ['ENOTDIR', noFile],
  ['EEXIST', noFile],
  ['ENOENT', noFile],
  ['ELOOP', noFile],
  ['ENAMETOOLONG', noFile],
  ['ENOSPC', { kind: 'unavailable', says: 'has no room left', retryMs: laterMs }],
  ['EDQUOT', { kind: 'unavailable', says: 'has no room left', retryMs: laterMs }],
  ['EIO', { kind: 'unavailable', says: 'cannot be read or written', retryMs: laterMs }],
  // The driver's word after the memory was closed: its process is going, and another will answer.
  ['ERR_INVALID_STATE', { kind: 'unavailable', says: 'is closed', retryMs: soonMs }],
]);
