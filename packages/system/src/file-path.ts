import { isAbsolute, sep } from 'node:path';
import { cut, fail, fault, ok, type Result } from '@foldmesh/envelope';

/** Bytes of UTF-8, as file systems count them. */
const pathBytesMax = 4096;
const partBytesMax = 255;
const partsMax = 64;
const shownBytesMax = 256;

/**
 * The parts of a path below a root; none for the root itself. Nothing is decoded: `%2e%2e` is a name like any other. A
 * `..` is refused wherever it stands, because through a link it leads elsewhere than its text says.
 */
export const partsOf = (path: string): Result<readonly string[]> => {
  const refuse = (why: string) => fail(fault('refused', `${shownPath(path)} ${why}`));
  if (path.includes('\0')) return refuse('holds a NUL');
  const bytes = Buffer.byteLength(path);
  if (bytes > pathBytesMax) return refuse(`has ${bytes} bytes, a path has at most ${pathBytesMax}`);
  if (isAbsolute(path)) return refuse('is absolute; name it relative to the root');
  if (sep === '\\' && path.includes(':')) return refuse('names a drive or a stream');
  const parts = path.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return refuse('leads out of the root');
  if (parts.length > partsMax) return refuse(`is deeper than ${partsMax} folders`);
  const long = parts.some((part) => Buffer.byteLength(part) > partBytesMax);
  return long ? refuse(`has a name of more than ${partBytesMax} bytes`) : ok(parts);
};

/** The path as its caller wrote it, fit for one line of text. */
export const shownPath = (path: string): string =>
  cut(path === '' ? '.' : path.replaceAll(/\p{Cc}/gu, '?'), shownBytesMax);

/** `path` is `root` or lies below it; both absolute and without links. A sibling of the same prefix does not. */
export const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
