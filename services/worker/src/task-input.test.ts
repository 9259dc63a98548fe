import {
  type Binding,
  encodeJson,
  fail,
  fault,
  type ItemSlice,
  type Json,
  ok,
  Probed,
  type TaskPart,
} from '@foldmesh/envelope';
import { blobValues } from '@foldmesh/runtime';
import { fakePorts, job, keyAt, tenant } from '@foldmesh/runtime/internal';
import { describe, expect, it } from 'vitest';
import { inputOf, probe, type Sources } from './task-input.ts';

const partOf = (input: Json, item?: ItemSlice): TaskPart => ({
  key: keyAt(1),
  run: { kind: 'skill', name: 'a' },
  input,
  ...(item !== undefined && { item }),
});

const bench = async (bind: Readonly<Record<string, Binding>> = {}, local: Sources['local'] = new Map()) => {
  const fake = fakePorts();
  const put = await fake.ports.blobs.put(tenant, job, encodeJson({ list: ['a', 'b', 'c', 'd'] }));
  if (!put.ok) throw new Error('not stored');
  const sources = { tenant, job, values: blobValues(fake.ports.blobs), bind, local };
  return {
    fake,
    ref: put.value,
    sources,
    inputAs: (input: Json, item?: ItemSlice) => inputOf(partOf(input, item), sources),
  };
};

describe('the input of a task', () => {
  it('is its template with every lookup replaced, by what it is bound to', async () => {
    const { inputAs } = await bench({
      'inputs.who': { value: 'me' },
      'tasks.a.output.n': { value: { n: 7 }, path: ['n'] },
    });
    expect(await inputAs({ for: 'for ${inputs.who}', n: ['${tasks.a.output.n}'] })).toEqual(
      ok({ for: 'for me', n: [7] }),
    );
  });

  it('is fetched from where it lies, once for all lookups of one name', async () => {
    const { fake, ref, sources } = await bench();
    const bound = { ...sources, bind: { 'tasks.a.output': { ref } } };
    const input = await inputOf(partOf(['${tasks.a.output}', '${tasks.a.output}']), bound);
    expect(input.ok && input.value).toEqual([{ list: ['a', 'b', 'c', 'd'] }, { list: ['a', 'b', 'c', 'd'] }]);
    expect(fake.given('blobs.get').length).toBe(1);
  });

  it('takes what ran before it in the same assignment', async () => {
    const { inputAs } = await bench({}, new Map([['a', { value: { n: 1 } }]]));
    expect(await inputAs('${tasks.a.output.n}')).toEqual(ok(1));
    expect(await inputAs('${tasks.b.output}')).toMatchObject({
      fault: { detail: 'input: ${tasks.b.output}: nothing was handed over for it' },
    });
  });

  it('is never looked at for lookups again: a text that looks like one stays a text', async () => {
    const { inputAs } = await bench({
      'inputs.text': { value: '${inputs.secret}' },
      'inputs.secret': { value: 'hidden' },
    });
    expect(await inputAs('say ${inputs.text}')).toEqual(ok('say ${inputs.secret}'));
  });

  it('that is not there is invalid, and names the lookup, the path and the keys that are', async () => {
    const { inputAs } = await bench({ 'tasks.a.output.x': { value: { y: 1 }, path: ['x'] } });
    expect(await inputAs('${tasks.a.output.x}')).toEqual(
      fail(fault('invalid', 'input: ${tasks.a.output.x}: no x; the keys there are y')),
    );
  });

  it('that lies in a store which is away is no fault of the task: the message goes back', async () => {
    const { fake, ref, sources } = await bench();
    fake.answer('blobs.get', fail(fault('unavailable', 'away', { retry_after_ms: 100, source: 'nats' })));
    const input = await inputOf(partOf('${tasks.a.output}'), {
      ...sources,
      bind: { 'tasks.a.output': { ref } },
    });
    expect(input).toEqual(fail(fault('unavailable', 'away', { source: 'nats', retry_after_ms: 3_000 })));
  });

  it('cannot be changed by the skill that gets it', async () => {
    const { inputAs } = await bench({ 'inputs.list': { value: [1] } });
    const input = await inputAs({ list: '${inputs.list}', own: [] });
    const value = input.ok ? (input.value as { list: Json[]; own: Json[] }) : { list: [], own: [] }; // as the template has it
    expect(() => value.list.push(2)).toThrow(TypeError);
    expect(() => value.own.push(2)).toThrow(TypeError);
  });
});

describe('the item of a child', () => {
  const slice = (of: Binding, from: number, to: number, single = false): ItemSlice => ({
    of,
    from,
    to,
    single,
  });

  it('is its slice of the list, or the element itself', async () => {
    const { inputAs, ref } = await bench();
    expect(await inputAs('${item}', slice({ ref, path: ['list'] }, 1, 3))).toEqual(ok(['b', 'c']));
    expect(await inputAs('${item}', slice({ ref, path: ['list'] }, 3, 9))).toEqual(ok(['d']));
    expect(await inputAs('${item.n}', slice({ value: [{ n: 5 }] }, 0, 1, true))).toEqual(ok(5));
    expect(await inputAs('${item}', slice({ list: [{ value: 1 }, null] }, 1, 2, true))).toEqual(ok(null));
  });

  it('is nothing where there is none, or where what it goes over is no list', async () => {
    const { inputAs } = await bench();
    expect(await inputAs('${item}')).toMatchObject({ fault: { detail: 'input: ${item}: there is no item' } });
    expect(await inputAs('${item}', slice({ value: { no: 'list' } }, 0, 1))).toMatchObject({
      fault: { detail: expect.stringContaining('no list') },
    });
  });
});

it('a probe says how long a list is, that there is something else, or what is missing', () => {
  const found = probe({ list: [1, 2], text: 'x', deep: { n: null } }, [
    ['list'],
    ['text'],
    ['deep', 'n'],
    ['deep', 'm'],
    [],
  ]);
  expect(found).toEqual([
    { length: 2 },
    { length: null },
    { length: null },
    { missing: 'no deep.m; the keys there are n' },
    { length: null },
  ]);
  expect(found.every((one) => Probed.safeParse(one).success)).toBe(true);
});
