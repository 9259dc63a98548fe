import { type Fault, fail, fault, type JobId, type Key, type TenantId } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import { describe, expect, it } from 'vitest';
import { checkArguments } from './check-arguments.ts';
import { filesSearch } from './files-search.ts';
import { memoryFiles } from './memory-files.ts';

const search = async (
  root: Files,
  input: unknown,
  signal = new AbortController().signal,
): Promise<unknown> => {
  const tool = filesSearch(root);
  const checked = checkArguments(tool, input);
  if (!checked.ok) return checked.fault;
  const call = { tenant: 't' as TenantId, job: 'j' as JobId, key: 't/j/k/1/0/0' as Key, signal, deadline: 0 };
  const result = await tool.run(checked.value as never, call);
  if (!result.ok) return result.fault;
  expect(tool.output?.safeParse(result.value)).toMatchObject({ success: true });
  return result.value;
};

/** Files of which one path fails. */
const failing = (files: Files, path: string, failure: Fault): Files => ({
  ...files,
  list: async (asked, entriesMax) => (asked === path ? fail(failure) : files.list(asked, entriesMax)),
  read: async (asked, bytesMax) => (asked === path ? fail(failure) : files.read(asked, bytesMax)),
});

const tree = memoryFiles(
  {
    'a/LICENSE': 'MIT License\n\nCopyright Ada\r\nPermission\n',
    'a/LICENSE.bak/note': 'x',
    'b/deep/er/LICENCE.md': 'Apache License\nVersion 2.0\nCopyright Bob',
    'b/index.ts': 'export {};',
    LICENSE: 'Copyright nobody',
    'logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
  },
  ['b/link', 'LICENSE-link'],
);

describe('files.search', () => {
  it('finds files by name, sorted, and neither folders nor links', async () => {
    expect(await search(tree, { path: '.', pattern: 'LICEN*' })).toEqual({
      matches: [{ path: 'LICENSE' }, { path: 'a/LICENSE' }, { path: 'b/deep/er/LICENCE.md' }],
      truncated: false,
    });
  });

  it('follows no link, so that none can lead it round', async () => {
    const files = memoryFiles({ 'b/x': '' }, ['b/link']);
    await search(files, { path: '.', pattern: '*', contains: 'x' });
    expect(files.asked).toEqual(['list .', 'list b', 'read b/x']);
  });

  it.each(['b', './b', 'b/', './/b//'])('begins where it is told: %s', async (path) => {
    expect(await search(tree, { path, pattern: '*.ts' })).toEqual({
      matches: [{ path: 'b/index.ts' }],
      truncated: false,
    });
  });

  it('finds lines, without their line ends, and nothing in what is no text', async () => {
    expect(await search(tree, { path: '.', pattern: '*', contains: 'Copyright' })).toEqual({
      matches: [
        { path: 'LICENSE', line: 1, text: 'Copyright nobody' },
        { path: 'a/LICENSE', line: 3, text: 'Copyright Ada' },
        { path: 'b/deep/er/LICENCE.md', line: 3, text: 'Copyright Bob' },
      ],
      truncated: false,
    });
    expect(await search(tree, { path: '.', pattern: '*', contains: 'C.pyright' })).toEqual({
      matches: [],
      truncated: false,
    });
  });

  it('shows of a long line what is around the text', async () => {
    const line = `${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`;
    const answer = await search(memoryFiles({ x: line }), { path: '.', pattern: 'x', contains: 'needle' });
    expect(answer).toEqual({
      matches: [{ path: 'x', line: 1, text: `${'a'.repeat(100)}needle${'b'.repeat(294)}` }],
      truncated: false,
    });
  });

  it('says when there is more: matches, depth, length', async () => {
    const many = memoryFiles(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, 'x'])));
    expect(await search(many, { path: '.', pattern: 'f*', matches_max: 9 })).toMatchObject({
      truncated: false,
    });
    expect(await search(many, { path: '.', pattern: 'f*', matches_max: 8 })).toMatchObject({
      matches: { length: 8 },
      truncated: true,
      notice: 'there are more than 8 matches',
    });
    expect(await search(tree, { path: '.', pattern: 'LICEN*', depth_max: 1 })).toMatchObject({
      matches: [{ path: 'LICENSE' }, { path: 'a/LICENSE' }],
      truncated: true,
      notice: 'folders deeper than 1 were not looked into',
    });
    const long = memoryFiles({ log: `${'x\n'.repeat(200_000)}needle` });
    expect(await search(long, { path: '.', pattern: 'log', contains: 'needle' })).toMatchObject({
      matches: [],
      truncated: true,
      notice: 'of log only the first 262144 bytes were looked at',
    });
  });

  it('stops at the bounds of the walk, and says so', async () => {
    const folders = Array.from({ length: 6 }, (_, folder) => folder);
    const names = folders.flatMap((folder) =>
      Array.from({ length: 9_000 }, (_, file) => [`d${folder}/f${file}`, ''] as const),
    );
    const wide = memoryFiles(Object.fromEntries(names));
    const stopped = { matches: [], truncated: true, notice: 'stopped after 50000 entries' };
    expect(await search(wide, { path: '.', pattern: 'none' })).toEqual(stopped);

    const one = memoryFiles(
      Object.fromEntries(Array.from({ length: 10_001 }, (_, file) => [`d/f${file}`, ''])),
    );
    const passed = { matches: [], truncated: true, notice: 'passed over: d has more than 10000 entries' };
    expect(await search(one, { path: '.', pattern: 'none' })).toEqual(passed);

    const text = new Uint8Array(300_000).fill(0x78);
    const heavy = memoryFiles(
      Object.fromEntries(Array.from({ length: 300 }, (_, file) => [`f${file}`, text])),
    );
    expect(await search(heavy, { path: '.', pattern: 'f*', contains: 'needle' })).toMatchObject({
      matches: [],
      truncated: true,
      notice: expect.stringMatching(/; and \d+ more$/),
    });
    expect(heavy.asked.filter((what) => what.startsWith('read'))).toHaveLength(256);
  });

  it('fails where it should begin, and passes over what it may not see further down', async () => {
    expect(await search(tree, { path: 'none', pattern: '*' })).toEqual({
      kind: 'invalid',
      detail: 'none is not there',
    });
    const closed = failing(tree, 'b', fault('refused', 'b may not be opened by this process'));
    expect(await search(closed, { path: '.', pattern: 'LICEN*' })).toEqual({
      matches: [{ path: 'LICENSE' }, { path: 'a/LICENSE' }],
      truncated: true,
      notice: 'passed over: b may not be opened by this process',
    });
  });

  it('fails as a whole on what will pass, rather than answer with a hole', async () => {
    const busy = fault('unavailable', 'too many open files', { retry_after_ms: 1_000 });
    expect(await search(failing(tree, 'b', busy), { path: '.', pattern: '*' })).toEqual(busy);
    expect(await search(failing(tree, 'LICENSE', busy), { path: '.', pattern: '*', contains: 'x' })).toEqual(
      busy,
    );
  });

  it('stops when it is told to', async () => {
    const files = memoryFiles({ a: '' });
    expect(await search(files, { path: '.', pattern: '*' }, AbortSignal.abort())).toMatchObject({
      kind: 'unavailable',
    });
    expect(files.asked).toEqual([]);
  });

  it.each([
    [{ path: '.', pattern: '' }, 'pattern'],
    [{ path: '.', pattern: '*', contains: 'a\nb' }, 'contains: one line at most'],
    [{ path: '.', pattern: '*', contains: '' }, 'contains'],
    [{ path: '.', pattern: '*', depth: 3 }, 'depth: there is no such argument'],
  ])('refuses %j', async (input, named) => {
    expect(await search(tree, input)).toMatchObject({
      kind: 'invalid',
      detail: expect.stringContaining(named),
    });
  });
});
