import { describe, expect, it } from 'vitest';
import { type RawHeaders, readHeaders } from './headers.ts';

const raw: RawHeaders = {
  'Nats-Msg-Id': 'ab'.repeat(16),
  'Mesh-Key': 'acme/j-1/a/1/0/0',
  'Mesh-Type': 'tool.call',
  'Mesh-Attempt': '2',
  'Mesh-Epoch': '0',
  'Mesh-Since': '1800000000000',
  'Mesh-Deadline': '1800000600000',
  'Mesh-Print': 'cd'.repeat(32),
  'Mesh-V': '1',
  'Mesh-From': 'worker.default',
  'Mesh-Reply': 'mesh.v1.reply.worker-7',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

const complaint = (headers: RawHeaders): string => {
  const read = readHeaders(headers);
  return read.ok ? 'read' : `${read.fault.kind}: ${read.fault.detail}`;
};

describe('headers', () => {
  it('are read as what they mean', () => {
    expect(readHeaders(raw)).toEqual({
      ok: true,
      value: {
        id: raw['Nats-Msg-Id'],
        key: raw['Mesh-Key'],
        type: 'tool.call',
        attempt: 2,
        epoch: 0,
        since: 1_800_000_000_000,
        deadline: 1_800_000_600_000,
        print: raw['Mesh-Print'],
        v: 1,
        from: 'worker.default',
        reply: 'mesh.v1.reply.worker-7',
        traceparent: raw['traceparent'],
      },
    });
  });

  const optional = ['Mesh-Deadline', 'Mesh-From', 'Mesh-Reply', 'traceparent'];

  it('may come with others, and without a deadline, a trace, or whom to answer', () => {
    const rest = Object.entries(raw).filter(([name]) => !optional.includes(name));
    const read = readHeaders({ ...Object.fromEntries(rest), 'Nats-Expected-Stream': 'MESH_WORK' });
    const absent = { deadline: undefined, from: undefined, reply: undefined, traceparent: undefined };
    expect(read).toMatchObject({ ok: true, value: absent });
  });

  it('may be of a type and a version that only a newer mesh knows', () => {
    expect(readHeaders({ ...raw, 'Mesh-Type': 'future.thing', 'Mesh-V': '99' }).ok).toBe(true);
  });

  const needed = Object.keys(raw).filter((name) => !optional.includes(name));

  it.each(needed)('are refused without %s, by name', (name) => {
    const { [name]: _, ...rest } = raw;
    expect(complaint(rest)).toMatch(new RegExp(`^invalid: header ${name}: .`));
    expect(complaint({ ...raw, [name]: '' })).toMatch(new RegExp(`^invalid: header ${name}: .`));
  });

  const numbers = ['Mesh-Attempt', 'Mesh-Epoch', 'Mesh-Since', 'Mesh-Deadline', 'Mesh-V'];

  it.each(numbers)('%s is a whole number in plain digits', (name) => {
    for (const text of [
      '',
      ' ',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      ' 1',
      '1 ',
      '+1',
      'x',
      'Infinity',
      '9'.repeat(17),
    ])
      expect(complaint({ ...raw, [name]: text })).toMatch(new RegExp(`^invalid: header ${name}: .`));
    expect(complaint({ ...raw, [name]: '12' })).toBe('read');
  });

  it('count attempts and versions from 1, epochs from 0', () => {
    expect(
      ['Mesh-Attempt', 'Mesh-V', 'Mesh-Epoch'].map((name) => complaint({ ...raw, [name]: '0' }) === 'read'),
    ).toEqual([false, false, true]);
  });

  it('hold names of the right shape', () => {
    for (const [name, text] of [
      ['Mesh-Key', 'a/b'],
      ['Mesh-Print', 'CD'.repeat(32)],
      ['Nats-Msg-Id', 'ab'],
      ['Mesh-Type', 'tool'],
      ['Mesh-From', 'worker'],
      ['Mesh-From', 'stranger.default'],
      ['Mesh-Reply', 'a subject'],
      ['Mesh-Reply', ''],
    ] as const)
      expect(complaint({ ...raw, [name]: text })).toMatch(new RegExp(`^invalid: header ${name}: .`));
  });
});
