import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { FileEntry, Files } from '@foldmesh/ports';

/** Files that live in a map, for tests and worlds without a disk: paths with `/`, and no way to make a link. */
export interface MemoryFiles extends Files {
  /** What has been asked, in order: `list a`, `read a/b`, `write c`. */
  readonly asked: readonly string[];
  /** By path from the root, without `.` and `//`. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** The port's contract as the disk keeps it. `links` are names that are listed, and lead out when they are followed. */
export const memoryFiles = (
  contents: Readonly<Record<string, string | Uint8Array>> = {},
  links: readonly string[] = [],
): MemoryFiles => {
  const stored = new Map(Object.entries(contents).map(([path, content]) => [path, bytesOf(content)]));
  const asked: string[] = [];
  const note = (what: string, path: string): Result<readonly string[]> => {
    asked.push(`${what} ${path}`);
    return partsOf(path, links);
  };
  return {
    asked,
    contents: stored,
    list: async (path, entriesMax) => {
      const parts = note('list', path);
      return parts.ok ? listIn(stored, links, path, parts.value, entriesMax) : parts;
    },
    read: async (path, bytesMax) => {
      const parts = note('read', path);
      if (!parts.ok) return parts;
      const bytes = stored.get(parts.value.join('/'));
      if (bytes !== undefined) return ok({ bytes: bytes.slice(0, bytesMax), size: bytes.length });
      return fail(
        fault(
          'invalid',
          `${path} ${isFolder(stored, links, parts.value) ? 'is a directory' : 'is not there'}`,
        ),
      );
    },
    write: async (path, bytes) => {
      const parts = note('write', path);
      if (!parts.ok) return parts;
      if (isFolder(stored, links, parts.value)) return fail(fault('invalid', `${path} is a directory`));
      const isBelowFile = parts.value.some(
        (_, index) => index > 0 && stored.has(parts.value.slice(0, index).join('/')),
      );
      if (isBelowFile) return fail(fault('invalid', `${path} is not a directory`));
      stored.set(parts.value.join('/'), bytes.slice());
      return ok(undefined);
    },
  };
};

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

const partsOf = (path: string, links: readonly string[]): Result<readonly string[]> => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const leadsOut = path.startsWith('/') || path.includes('\0') || parts.includes('..');
  const throughLink = parts.some((_, index) => links.includes(parts.slice(0, index + 1).join('/')));
  return leadsOut || throughLink ? fail(fault('refused', `${path} leads out of the root`)) : ok(parts);
};

type Stored = ReadonlyMap<string, Uint8Array>;

const prefixOf = (parts: readonly string[]): string => (parts.length === 0 ? '' : `${parts.join('/')}/`);

const isFolder = (stored: Stored, links: readonly string[], parts: readonly string[]): boolean =>
  parts.length === 0 || [...stored.keys(), ...links].some((path) => path.startsWith(prefixOf(parts)));

const listIn = (
  stored: Stored,
  links: readonly string[],
  path: string,
  parts: readonly string[],
  entriesMax: number,
): Result<readonly FileEntry[]> => {
  if (stored.has(parts.join('/'))) return fail(fault('invalid', `${path} is not a directory`));
  if (!isFolder(stored, links, parts)) return fail(fault('invalid', `${path} is not there`));
  const entries = new Map<string, FileEntry>();
  const prefix = prefixOf(parts);
  for (const full of [...stored.keys(), ...links]) {
    if (!full.startsWith(prefix)) continue;
    const [name = '', ...deeper] = full.slice(prefix.length).split('/');
    if (deeper.length > 0) entries.set(name, { name, kind: 'directory' });
    else if (links.includes(full)) entries.set(name, { name, kind: 'link' });
    else entries.set(name, { name, kind: 'file', bytes: stored.get(full)?.length ?? 0 });
  }
  if (entries.size > entriesMax)
    return fail(fault('overflow', `${path} has more than ${entriesMax} entries`));
  return ok([...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
};
