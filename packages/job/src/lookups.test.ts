import type { Json } from '@foldmesh/envelope';
import { expect, test } from 'vitest';
import { type Lookup, lookupsIn, parseTemplate, readPath, render, wholeLookup } from './lookups.ts';
import { look } from './testing/specs.ts';

const name = (lookup: Lookup): Json => `<${lookup.text}>`;

test('a text is cut into what stands there and what is looked up', () => {
  expect(parseTemplate(`from ${look('inputs.root')} to ${look('tasks.list.output.entries.0')}!`)).toEqual({
    pieces: [
      'from ',
      { text: 'inputs.root', of: 'inputs', path: ['root'] },
      ' to ',
      { text: 'tasks.list.output.entries.0', of: 'output', task: 'list', path: ['entries', '0'] },
      '!',
    ],
  });
  expect(parseTemplate(look(' item '))).toEqual({ pieces: [{ text: 'item', of: 'item', path: [] }] });
  expect(parseTemplate(look('tasks.a.gaps'))).toEqual({
    pieces: [{ text: 'tasks.a.gaps', of: 'gaps', task: 'a', path: [] }],
  });
  expect(parseTemplate('')).toEqual({ pieces: [''] });
});

test('a doubled dollar stands for a literal one, and nothing is looked up', () => {
  expect(render(`$${look('inputs.a')}`, name)).toBe(look('inputs.a'));
  expect(render(`$$${look('inputs.a')}`, name)).toBe(`$${look('inputs.a')}`);
  expect(render(`${look('inputs.a')}$${look('inputs.b')}`, name)).toBe(`<inputs.a>${look('inputs.b')}`);
  expect(lookupsIn(`$${look('nonsense')}`)).toEqual({ lookups: [], wrong: [] });
  expect(render('costs 5 $ {a} $', name)).toBe('costs 5 $ {a} $');
});

test.each([
  ['${', 'not closed'],
  [look(''), 'empty part'],
  [look('inputs..a'), 'empty part'],
  [look('outputs.a'), 'must start with'],
  [look('tasks.a'), 'must start with'],
  [look('tasks.a.result'), 'must start with'],
  [look('secrets.key'), 'must start with'],
  [look(`inputs.${'x'.repeat(129)}`), 'a part longer than 128'],
  [look(`item${'.a'.repeat(65)}`), 'deeper than 64'],
])('%j is no template: %s', (text, why) => {
  expect(parseTemplate(text)).toEqual({ wrong: expect.stringContaining(why) });
  expect(lookupsIn({ deep: [text] }).wrong).toHaveLength(1);
  // It was refused before anything ran; whoever renders it all the same gets it back as it is.
  expect(render(text, name)).toBe(text);
});

test('a text that is one lookup and nothing else keeps the value as it is', () => {
  const value: Json = { list: [1, null] };
  expect(render(look('item'), () => value)).toBe(value);
  expect(render(`${look('item')}!`, () => value)).toBe('{"list":[1,null]}!');
  expect(render(`${look('item')}${look('item')}`, () => 3)).toBe('33');
  expect(render(`a ${look('item')}`, () => 'b')).toBe('a b');
  expect(wholeLookup(look('item.a'))).toMatchObject({ of: 'item', path: ['a'] });
  expect(wholeLookup(`${look('item')} `)).toBeUndefined();
  expect(wholeLookup('item')).toBeUndefined();
  expect(wholeLookup('${')).toBeUndefined();
});

test('lookups are found and replaced at every depth, in values and never in names', () => {
  const template: Json = {
    a: [look('inputs.x'), { b: look('item.y') }],
    [look('inputs.z')]: 1,
    n: null,
    t: true,
  };
  expect(lookupsIn(template).lookups.map(({ text }) => text)).toEqual(['inputs.x', 'item.y']);
  expect(render(template, name)).toEqual({
    a: ['<inputs.x>', { b: '<item.y>' }],
    [look('inputs.z')]: 1,
    n: null,
    t: true,
  });
});

test('a field called __proto__ is a field like any other', () => {
  const template: Json = JSON.parse(`{"__proto__": "${look('item')}", "constructor": 1}`);
  expect(JSON.stringify(render(template, () => 2))).toBe('{"__proto__":2,"constructor":1}');
  expect(readPath(JSON.parse('{"__proto__": {"a": 1}}'), ['__proto__', 'a'])).toEqual({ value: 1 });
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'])(
  'what every object inherits is not there: %s',
  (inherited) => {
    expect(readPath({ a: 1 }, [inherited])).toEqual({ missing: `no ${inherited}; the keys there are a` });
    expect(readPath(['a'], [inherited])).toEqual({ missing: `no ${inherited}; there is a list of 1` });
    expect(readPath('text', [inherited])).toEqual({ missing: `no ${inherited}; there is a string` });
  },
);

test('a path leads through objects and lists, and what is there may be null', () => {
  const value: Json = { list: [{ a: null }, false], empty: '' };
  expect(readPath(value, [])).toEqual({ value });
  expect(readPath(value, ['list', '0', 'a'])).toEqual({ value: null });
  expect(readPath(value, ['list', '1'])).toEqual({ value: false });
  expect(readPath(value, ['empty'])).toEqual({ value: '' });
});

test('what is missing is named with the way there and the keys that are there instead', () => {
  const value: Json = { a: { b: { c: 1, d: 2 } }, list: [1], nothing: null, none: {} };
  expect(readPath(value, ['a', 'b', 'x', 'y'])).toEqual({ missing: 'no a.b.x; the keys there are c, d' });
  expect(readPath(value, ['list', '1'])).toEqual({ missing: 'no list.1; there is a list of 1' });
  expect(readPath(value, ['list', '0x0'])).toEqual({ missing: 'no list.0x0; there is a list of 1' });
  expect(readPath(value, ['list', '-1'])).toEqual({ missing: 'no list.-1; there is a list of 1' });
  expect(readPath(value, ['nothing', 'a'])).toEqual({ missing: 'no nothing.a; there is null' });
  expect(readPath(value, ['none', 'a'])).toEqual({ missing: 'no none.a; the keys there are (none)' });
});

test('of many keys, and of long ones, only so much is told', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, at]));
  expect(readPath(many, ['x'])).toEqual({ missing: expect.stringMatching(/k19 and 10 more$/) });
  const long = readPath({ ['k'.repeat(1_000_000)]: 1 }, ['x']);
  expect('missing' in long && long.missing.length).toBeLessThan(1_200);
});
