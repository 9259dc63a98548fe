import type { JobId, Key, Result, TenantId } from '@foldmesh/envelope';
import type { Files } from '@foldmesh/ports';
import type { Tool } from '@foldmesh/sdk';
import { describe, expect, it } from 'vitest';
import { checkArguments } from './check-arguments.ts';
import { filesTools } from './files-tools.ts';
import { memoryFiles } from './memory-files.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Who {
  readonly tenant?: string;
  readonly job?: string;
  readonly signal?: AbortSignal;
}

/** Calls a tool as the gateway does: its arguments are checked first, and its answer against what it declares. */
const callTool = async (
  tool: Tool,
  input: unknown,
  { tenant = 't', job = 'j', signal }: Who = {},
): Promise<Result<unknown>> => {
  const checked = checkArguments(tool, input);
  if (!checked.ok) return checked;
  const key = `${tenant}/${job}/task/1/0/0` as Key;
  const call = {
    tenant: tenant as TenantId,
    job: job as JobId,
    key,
    signal: signal ?? new AbortController().signal,
    deadline: 0,
  };
  const result = await tool.run(checked.value as never, call);
  if (result.ok) expect(tool.output?.safeParse(result.value)).toMatchObject({ success: true });
  return result;
};

const rig = (root: Files, output: (tenant: string, job: string) => Files = () => memoryFiles()) => {
  const tools = new Map(filesTools({ root, output }).map((tool) => [tool.name, tool]));
  return async (name: string, input: unknown, who?: Who): Promise<unknown> => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const result = await callTool(tool, input, who);
    return result.ok ? result.value : result.fault;
  };
};

describe('filesTools', () => {
  it('say what they do to the world', () => {
    const effects = filesTools({ root: memoryFiles(), output: () => memoryFiles() }).map(
      ({ name, effect }) => [name, effect],
    );
    expect(effects).toEqual([
      ['files.list', 'read'],
      ['files.read', 'read'],
      ['files.search', 'read'],
      ['files.write', 'idempotent'],
    ]);
  });
});

describe('files.list', () => {
  it('lists a folder', async () => {
    const call = rig(memoryFiles({ 'b.txt': 'xy', 'a/c': '' }, ['z']));
    expect(await call('files.list', { path: '.' })).toEqual({
      entries: [
        { name: 'a', kind: 'directory' },
        { name: 'b.txt', kind: 'file', bytes: 2 },
        { name: 'z', kind: 'link' },
      ],
    });
  });

  it('gives no half of a list, and says what to do instead', async () => {
    const call = rig(memoryFiles({ a: '', b: '', c: '' }));
    expect(await call('files.list', { path: '.', entries_max: 2 })).toEqual({
      kind: 'overflow',
      detail: '. has more than 2 entries; give a larger entries_max (at most 10000) or search by name',
    });
  });

  it('passes on what the files say', async () => {
    expect(await rig(memoryFiles())('files.list', { path: 'none' })).toEqual({
      kind: 'invalid',
      detail: 'none is not there',
    });
    expect(await rig(memoryFiles())('files.list', { path: '../up' })).toMatchObject({ kind: 'refused' });
  });
});

describe('files.read (C088)', () => {
  it('gives a text byte for byte under the cap', async () => {
    const text = '\uFEFFline\r\n\ttwo €\n';
    expect(await rig(memoryFiles({ a: text }))('files.read', { path: 'a' })).toEqual({
      text,
      bytes: bytes(text).length,
      truncated: false,
    });
  });

  it.each([100_000, 5_000_000])('gives the head of a file of %d bytes, and a notice', async (size) => {
    const answer = await rig(memoryFiles({ log: 'x'.repeat(size) }))('files.read', { path: 'log' });
    expect(answer).toEqual({
      text: 'x'.repeat(65_536),
      bytes: size,
      truncated: true,
      notice: `these are the first 65536 of ${size} bytes; give a larger bytes_max for more`,
    });
  });

  it('asks the disk for no more than it hands on', async () => {
    let asked = 0;
    const files: Files = {
      ...memoryFiles(),
      read: async (_, bytesMax) => {
        asked = bytesMax;
        return { ok: true, value: { bytes: new Uint8Array(bytesMax).fill(0x78), size: 500_000_000 } };
      },
    };
    expect(await rig(files)('files.read', { path: 'huge', bytes_max: 262_144 })).toEqual({
      text: 'x'.repeat(262_144),
      bytes: 500_000_000,
      truncated: true,
      notice: 'these are the first 262144 of 500000000 bytes; what follows cannot be read by this tool',
    });
    expect(asked).toBe(262_145);
    expect(await rig(files)('files.read', { path: 'huge', bytes_max: 262_145 })).toMatchObject({
      kind: 'invalid',
    });
  });

  it('cuts between characters', async () => {
    const call = rig(memoryFiles({ a: 'ab😀cd' }));
    expect(await call('files.read', { path: 'a', bytes_max: 4 })).toMatchObject({
      text: 'ab',
      bytes: 8,
      truncated: true,
    });
    expect(await call('files.read', { path: 'a', bytes_max: 6 })).toMatchObject({
      text: 'ab😀',
      truncated: true,
    });
    expect(await call('files.read', { path: 'a', bytes_max: 8 })).toEqual({
      text: 'ab😀cd',
      bytes: 8,
      truncated: false,
    });
  });

  it('hands on nothing binary, whatever it is called', async () => {
    const call = rig(memoryFiles({ 'photo.txt': new Uint8Array([0xff, 0xd8, 0xff, 0xe0]) }));
    expect(await call('files.read', { path: 'photo.txt' })).toEqual({
      kind: 'invalid',
      detail: 'photo.txt is no text in UTF-8',
    });
  });
});

describe('files.write', () => {
  it("writes into the job's own folder, and says what is there now", async () => {
    const written = new Map<string, ReturnType<typeof memoryFiles>>();
    const call = rig(memoryFiles(), (tenant, job) => {
      const files = memoryFiles();
      written.set(`${tenant}/${job}`, files);
      return files;
    });
    expect(
      await call('files.write', { path: 'a/report.md', text: 'é' }, { tenant: 'acme', job: 'j7' }),
    ).toEqual({
      path: 'a/report.md',
      bytes: 2,
      digest: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
    });
    expect([...written.keys()]).toEqual(['acme/j7']);
    expect(written.get('acme/j7')?.contents.get('a/report.md')).toEqual(bytes('é'));
  });

  it('is refused where the path leads out', async () => {
    expect(await rig(memoryFiles())('files.write', { path: '../x', text: '' })).toMatchObject({
      kind: 'refused',
    });
  });

  it('takes no text beyond its limit', async () => {
    const answer = await rig(memoryFiles())('files.write', {
      path: 'x',
      text: 'x'.repeat(2 * 1024 * 1024 + 1),
    });
    expect(answer).toMatchObject({ kind: 'invalid', detail: expect.stringContaining('text: ') });
  });
});
