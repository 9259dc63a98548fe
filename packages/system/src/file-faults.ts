import { type Fault, type FaultKind, fail, fault, type Result } from '@foldmesh/envelope';
import { shownPath } from './file-path.ts';

/** Ends work on a file from deep inside; turned into a fault at the port, which it never crosses. */
export class FileTrouble extends Error {
  override readonly name = 'FileTrouble';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** By then files may have been closed, or room been made. */
const retryMs = 1_000;

/** Runs work on one path. Its errors become faults that name the path as the caller wrote it, never where it really lies. */
export const asResult = async <T>(path: string, work: () => Promise<Result<T>>): Promise<Result<T>> => {
  try {
    return await work();
  } catch (error) {
    return fail(faultOf(shownPath(path), error));
  }
};

const faultOf = (path: string, error: unknown): Fault => {
  if (error instanceof FileTrouble) {
    const later = error.kind === 'unavailable' ? { retry_after_ms: retryMs } : {};
    return fault(error.kind, `${path} ${error.message}`, later);
  }
  const code = codeOf(error);
  if (code === undefined) throw error; // not the file system's: ours
  const known = Object.hasOwn(faults, code) ? faults[code] : undefined;
  if (known !== undefined) return fault(known[0], `${path} ${known[1]}`);
  return fault('unavailable', `${path} cannot be had just now (${code})`, { retry_after_ms: retryMs });
};

/** `ENOENT` and the like, where the operating system said no. */
export const codeOf = (error: unknown): string | undefined => {
  const isErrno = error instanceof Error && 'code' in error && 'syscall' in error;
  return isErrno && typeof error.code === 'string' ? error.code : undefined;
};

/** What will be the same when it is asked again; all else may pass, too many open files or a full disk. */
const faults: Readonly<Record<string, readonly [FaultKind, string]>> = {
  ENOENT: ['invalid', 'is not there'],
  ENOTDIR: ['invalid', 'is not a directory'],
  EISDIR: ['invalid', 'is a directory'],
  ENXIO: ['invalid', 'is no regular file'],
  EACCES: ['refused', 'may not be opened by this process'],
  EPERM: ['refused', 'may not be opened by this process'],
  EROFS: ['refused', 'lies on a file system that cannot be written'],
  ELOOP: ['refused', 'leads through a link that may not be followed'],
  ENAMETOOLONG: ['refused', 'is too long a name for this file system'],
  EFBIG: ['overflow', 'is more than this file system holds in one file'],
};
