import { describe, expect, it } from 'vitest';
import { memoryFiles } from './memory-files.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('memoryFiles', () => {
  it('lists, reads and writes as the disk does', async () => {
    const files = memoryFiles({ 'a/b': 'hello', Z: '' }, ['link']);
    expect(await files.list('.', 3)).toEqual({
      ok: true,
      value: [
        { name: 'Z', kind: 'file', bytes: 0 },
        { name: 'a', kind: 'directory' },
        { name: 'link', kind: 'link' },
      ],
    });
    expect(await files.list('.', 2)).toMatchObject({
      fault: { kind: 'overflow', detail: '. has more than 2 entries' },
    });
    expect(await files.read('./a//b', 3)).toEqual({ ok: true, value: { bytes: bytes('hel'), size: 5 } });
    expect(await files.write('a/c/d', bytes('new'))).toEqual({ ok: true });
    expect(await files.read('a/c/d', 10)).toMatchObject({ value: { size: 3 } });
  });

  it('fails as the disk does', async () => {
    const files = memoryFiles({ 'a/b': '' }, ['link']);
    expect(await files.read('a', 1)).toMatchObject({
      fault: { kind: 'invalid', detail: 'a is a directory' },
    });
    expect(await files.read('x', 1)).toMatchObject({ fault: { kind: 'invalid', detail: 'x is not there' } });
    expect(await files.list('x', 1)).toMatchObject({ fault: { kind: 'invalid', detail: 'x is not there' } });
    expect(await files.list('a/b', 1)).toMatchObject({
      fault: { kind: 'invalid', detail: 'a/b is not a directory' },
    });
    expect(await files.write('a', bytes(''))).toMatchObject({
      fault: { kind: 'invalid', detail: 'a is a directory' },
    });
    expect(await files.write('a/b/c', bytes(''))).toMatchObject({
      fault: { kind: 'invalid', detail: 'a/b/c is not a directory' },
    });
    for (const path of ['../x', '/x', 'a/../b', 'link', 'link/x', 'a\0']) {
      expect(await files.read(path, 1)).toMatchObject({ fault: { kind: 'refused' } });
    }
  });
});
