import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CommandId,
  childOf,
  Digest,
  digestOf,
  JobId,
  jobTask,
  Name,
  PoolName,
  shardOf,
  TaskId,
  TaskName,
  TenantId,
  TraceId,
  traceIdFrom,
  WireId,
  wireIdOf,
} from './ids.ts';

const long = 'a'.repeat(64);

describe('ids are one subject token', () => {
  it.each(Object.entries({ TenantId, JobId, TaskName, CommandId, PoolName }))('%s', (_, Id) => {
    for (const id of ['a', '7', 'j-7f3d', 'A_b-C', long]) expect(Id.safeParse(id).success).toBe(true);
    for (const id of [
      '',
      '-a',
      '_a',
      'a.b',
      'a*',
      '>',
      'a b',
      'a/b',
      'a~1',
      'ä',
      'a\n',
      ` a`,
      `${long}a`,
      7,
      null,
    ])
      expect(Id.safeParse(id).success).toBe(false);
  });
});

describe('task ids', () => {
  it('are a name, up to four nested children of it, or the job itself', () => {
    for (const id of ['audit', 'audit~0', 'audit~3', 'a~1~22~333~4444', `${long}~999999999`, '_job'])
      expect(TaskId.safeParse(id).success).toBe(true);
    for (const id of [
      '',
      '~1',
      'a~',
      'a~~1',
      'a~x',
      'a~1~2~3~4~5',
      'a~1234567890',
      '_job~1',
      '_jobs',
      '_task',
      'a.b',
      'a~1\n',
    ])
      expect(TaskId.safeParse(id).success).toBe(false);
  });

  it('name children by their index', () => {
    const child = childOf(TaskId.parse('audit'), 3);
    expect(child).toBe('audit~3');
    expect(TaskId.parse(childOf(child, 0))).toBe('audit~3~0');
    expect(jobTask).toBe('_job');
  });
});

describe('names of the catalogue', () => {
  it('are words joined by dots', () => {
    for (const name of ['files.list', 'a', 'licence.audit', 'a.b.c-d_e', '7.x', 'x'.repeat(128)])
      expect(Name.safeParse(name).success).toBe(true);
    for (const name of ['', '.', 'a.', '.a', 'a..b', 'a b', 'a.-b', 'a.*', 'a/b', 'x'.repeat(129)])
      expect(Name.safeParse(name).success).toBe(false);
  });
});

describe('hex ids', () => {
  it('take their exact length, in lower case', () => {
    const hex = 'deadbeef'.repeat(4);
    expect([WireId, TraceId].map((Id) => Id.safeParse(hex).success)).toEqual([true, true]);
    expect(Digest.safeParse(hex + hex).success).toBe(true);
    for (const bad of ['', hex.toUpperCase(), hex.slice(1), `${hex}0`, `${hex.slice(1)}g`, `${hex}\n`])
      for (const Id of [WireId, TraceId, Digest]) expect(Id.safeParse(bad).success).toBe(false);
  });

  it('a trace id is not all zero', () => {
    expect(TraceId.safeParse('0'.repeat(32)).success).toBe(false);
    expect(WireId.safeParse('0'.repeat(32)).success).toBe(true);
  });

  it('a trace id can be made from any text, the same from the same', () => {
    expect(traceIdFrom('a')).not.toBe(traceIdFrom('b'));
    return fc.assert(
      fc.property(fc.string(), (text) => TraceId.parse(traceIdFrom(text)) === traceIdFrom(text)),
    );
  });

  it('a digest is the SHA-256 of the bytes', () => {
    // The empty input's, from FIPS 180-4.
    expect(digestOf(new Uint8Array())).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('a wire id tells type, key, attempt and epoch apart, also where they run into one another', () => {
    const ids = [
      wireIdOf('tool.call', 'k', 1, 0),
      wireIdOf('tool.settle', 'k', 1, 0),
      wireIdOf('tool.call', 'k1', 1, 0),
      wireIdOf('tool.call', 'k', 2, 0),
      wireIdOf('tool.call', 'k', 1, 1),
      wireIdOf('tool.call', 'k', 11, 0),
      wireIdOf('tool.call', 'k', 1, 10),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(WireId.parse(id)).toBe(id);
  });
});

describe('shards', () => {
  it('deal jobs over 0 to 15, each of them used', () => {
    const shards = Array.from({ length: 400 }, (_, at) => shardOf(JobId.parse(`job-${at}`)));
    const all = Array.from({ length: 16 }, (_, shard) => String(shard));
    expect([...new Set<string>(shards)].sort()).toEqual(all.sort());
  });
});
