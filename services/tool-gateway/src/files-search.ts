import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import type { FileEntry, Files } from '@foldmesh/ports';
import { defineTool, type Tool, z } from '@foldmesh/sdk';
import { FilePath } from './file-path.ts';
import { nameMatches } from './name-glob.ts';
import { textHead, textLimits } from './text-head.ts';

/** Bounds of one search; reaching one makes the answer `truncated`. */
const bounds = {
  matchesMax: 1_000,
  matchesDefault: 100,
  depthMax: 32,
  depthDefault: 12,
  /** Of one folder, and of the whole walk. */
  folderEntriesMax: 10_000,
  entriesMax: 50_000,
  /** Of one file; what lies behind is not looked at. */
  fileBytesMax: textLimits.bytesMax,
  bytesMax: 64 * 1024 * 1024,
  lineLengthMax: 400,
  noticesMax: 5,
} as const;

const Input = z.strictObject({
  path: FilePath,
  pattern: z.string().min(1).max(255),
  contains: z
    .string()
    .min(1)
    .max(1000)
    .regex(/^[^\n\r]*$/, 'one line at most')
    .optional(),
  depth_max: z.int().min(0).max(bounds.depthMax).optional(),
  matches_max: z.int().min(1).max(bounds.matchesMax).optional(),
});
type Input = z.infer<typeof Input>;

const Match = z.strictObject({
  path: z.string(),
  /** From 1, and the line's text, when `contains` was asked. */
  line: z.int().positive().optional(),
  text: z.string().optional(),
});
type Match = z.infer<typeof Match>;

const Output = z.strictObject({
  matches: z.array(Match),
  truncated: z.boolean(),
  /** What was not looked at, when something was not. */
  notice: z.string().optional(),
});

/** Files below a folder by name and by what stands in them. Links are not followed: they can lead in circles. */
export const filesSearch = (root: Files): Tool =>
  defineTool({
    name: 'files.search',
    description:
      'Finds files below `path` whose name fits `pattern` (`*` any run of characters, `?` one; upper and lower case ' +
      'differ), sorted. With `contains` (literal text) it gives the lines that hold it. Links are not followed. ' +
      '`truncated` says that there may be more: raise `matches_max` or `depth_max`, or begin further down.',
    effect: 'read',
    input: Input,
    output: Output,
    run: async (input, { signal }) => {
      const search: Search = { root, input, signal, matches: [], notices: new Set(), entries: 0, bytes: 0 };
      const walked = await walk(search, input.path, 0);
      if (!walked.ok) return walked;
      const notices = [...search.notices];
      if (notices.length === 0) return ok({ matches: search.matches, truncated: false });
      const more =
        notices.length > bounds.noticesMax ? `; and ${notices.length - bounds.noticesMax} more` : '';
      return ok({
        matches: search.matches,
        truncated: true,
        notice: notices.slice(0, bounds.noticesMax).join('; ') + more,
      });
    },
  });

interface Search {
  readonly root: Files;
  readonly input: Input;
  readonly signal: AbortSignal;
  readonly matches: Match[];
  /** What was passed over, one sentence each. */
  readonly notices: Set<string>;
  entries: number;
  bytes: number;
}

/** Whether there is any sense in going on, or why there was no answer at all. */
type Walked = Result<'on' | 'full'>;

const walk = async (search: Search, folder: string, depth: number): Promise<Walked> => {
  if (search.signal.aborted) return fail(stopped());
  const listed = await search.root.list(folder, bounds.folderEntriesMax);
  if (!listed.ok) return depth === 0 || mayPass(listed) ? listed : passOver(search, listed.fault.detail);
  for (const entry of listed.value) {
    search.entries += 1;
    if (search.entries > bounds.entriesMax)
      return stopAt(search, `stopped after ${bounds.entriesMax} entries`);
    const walked = await look(search, joined(folder, entry.name), entry, depth);
    if (!walked.ok || walked.value === 'full') return walked;
  }
  return ok('on');
};

const look = (search: Search, path: string, entry: FileEntry, depth: number): Promise<Walked> | Walked => {
  const { pattern, contains, depth_max = bounds.depthDefault } = search.input;
  if (entry.kind === 'directory') {
    if (depth < depth_max) return walk(search, path, depth + 1);
    search.notices.add(`folders deeper than ${depth_max} were not looked into`);
    return ok('on');
  }
  if (entry.kind !== 'file' || !nameMatches(pattern, entry.name)) return ok('on');
  return contains === undefined ? add(search, { path }) : lookInto(search, path, contains);
};

const lookInto = async (search: Search, path: string, contains: string): Promise<Walked> => {
  if (search.signal.aborted) return fail(stopped());
  const read = await search.root.read(path, bounds.fileBytesMax + 1);
  if (!read.ok) return mayPass(read) ? read : passOver(search, read.fault.detail);
  const { bytes } = read.value;
  search.bytes += bytes.length;
  if (search.bytes > bounds.bytesMax) return stopAt(search, `stopped after ${bounds.bytesMax} bytes of text`);
  const text = textHead(path, bytes, bounds.fileBytesMax);
  if (!text.ok) return ok('on'); // no text holds no line
  if (bytes.length > bounds.fileBytesMax) {
    search.notices.add(`of ${path} only the first ${bounds.fileBytesMax} bytes were looked at`);
  }
  for (const [index, line] of text.value.split('\n').entries()) {
    if (!line.includes(contains)) continue;
    const added = add(search, { path, line: index + 1, text: around(line.replace(/\r$/, ''), contains) });
    if (!added.ok || added.value === 'full') return added;
  }
  return ok('on');
};

const add = (search: Search, match: Match): Walked => {
  const { matches_max = bounds.matchesDefault } = search.input;
  if (search.matches.length >= matches_max)
    return stopAt(search, `there are more than ${matches_max} matches`);
  search.matches.push(match);
  return ok('on');
};

/** A long line is shown from a little before the text that was looked for. */
const around = (line: string, contains: string): string => {
  if (line.length <= bounds.lineLengthMax) return line;
  const from = Math.max(0, line.indexOf(contains) - bounds.lineLengthMax / 4);
  return line.slice(from, from + bounds.lineLengthMax).toWellFormed();
};

const stopAt = (search: Search, why: string): Walked => {
  search.notices.add(why);
  return ok('full');
};

const passOver = (search: Search, why: string): Walked => {
  search.notices.add(`passed over: ${why}`);
  return ok('on');
};

/** What later may go well makes the whole search worth repeating; an answer with a hole would be taken for whole. */
const mayPass = (result: Result<unknown>): boolean => !result.ok && result.fault.retry_after_ms !== undefined;

const stopped = () => fault('unavailable', 'files.search: stopped before it was done', { retry_after_ms: 0 });

const joined = (folder: string, name: string): string => {
  const base = folder.replace(/^(\.\/+)+/, '').replace(/\/+$/, '');
  return base === '.' || base === '' ? name : `${base}/${name}`;
};
