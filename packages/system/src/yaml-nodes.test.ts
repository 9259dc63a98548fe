import { limits } from '@foldmesh/envelope';
import { describe, expect, it } from 'vitest';
import { yamlText } from './yaml-text.ts';

const read = (text: string) => {
  const parsed = yamlText(text, 'f');
  return 'problems' in parsed ? parsed.problems : parsed.value;
};

describe('what YAML means here', () => {
  it.each([
    ['a: yes', { a: 'yes' }],
    [
      'a: 1\nb: 1.5\nc: true\nd: null\ne: ~\nf:\ng: "1"',
      { a: 1, b: 1.5, c: true, d: null, e: null, f: null, g: '1' },
    ],
    ['1: a\ntrue: b\nnull: c', { 1: 'a', true: 'b', null: 'c' }],
    ['a: 2026-11-30', { a: '2026-11-30' }],
    ['<<: {a: 1}\nb: 2', { '<<': { a: 1 }, b: 2 }],
    ['a: |\n  two\n  lines\n', { a: 'two\nlines\n' }],
    ['- &x {n: 1}\n- *x', [{ n: 1 }, { n: 1 }]],
    ['', null],
    ['# only a comment', null],
    ['{a: 1, b: [x, y],}', { a: 1, b: ['x', 'y'] }],
    ['\uFEFFa: 1', { a: 1 }],
    ['a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
  ])('%j', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('keeps a field named __proto__ a field', () => {
    const value = read('__proto__: {polluted: true}\na: 1');
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'a']);
    expect(value).not.toHaveProperty('polluted');
    expect(Object.keys(read('{"__proto__": {"polluted": true}}') ?? {})).toEqual(['__proto__']);
  });

  it.each([
    ['a: .inf', 'f:1:4: Infinity is no value that JSON has'],
    ['a: .nan', 'f:1:4: NaN is no value that JSON has'],
    ['a: 1\nb: 2\na: 3', 'f:3:1: the name "a" stands twice'],
    ['x:\n  - {p: 1, p: 2}', 'f:2:12: the name "p" stands twice'],
    ['a: !!binary aGk=', 'f:1:4: Unresolved tag: tag:yaml.org,2002:binary'],
    ['a: !env SECRET', 'f:1:4: Unresolved tag: !env'],
    [
      'a: 9007199254740993',
      'f:1:4: 9007199254740993 is a whole number that would be rounded; write it in quotes',
    ],
    [
      'a: 0xFFFFFFFFFFFFFFFF',
      'f:1:4: 0xFFFFFFFFFFFFFFFF is a whole number that would be rounded; write it in quotes',
    ],
    ['a: { b: ${inputs.w} }\nc: 1', 'f:1:9: put ${…} in quotes: without them its brace begins an object'],
    ['a: [ ${x}, 1 ]', 'f:1:6: put ${…} in quotes: without them its brace begins an object'],
    ['a: *nobody', 'f:1:4: there is no anchor nobody before it'],
    ['a: &a [*a]', 'f:1:8: there is no anchor a before it'],
    ['? [a, b]\n: c', 'f:1:3: With stringKeys, all keys must be strings'],
    ['a: 1\n---\nb: 2', 'f:2:1: a second document begins here; there may be one'],
  ])('%j is wrong, at its place', (text, problem) => {
    expect(read(text)).toContain(problem);
  });

  it('says one thing of a lookup without quotes, and none of what follows from it', () => {
    expect(read('a:\n  - { b: ${inputs.w} }\n  - { c: 1 }\n')).toHaveLength(1);
    expect(read('a: ${inputs.w}')).toEqual({ a: '${inputs.w}' });
  });

  it('%YAML 1.1 changes nothing of it', () => {
    expect(read('%YAML 1.1\n---\na: yes\nb: 2026-11-30\nc: 0o17')).toEqual({
      a: 'yes',
      b: '2026-11-30',
      c: 15,
    });
  });
});

describe('texts that mean harm', () => {
  const deep = 'f:1:';
  it.each([
    ['lists in lists', '['.repeat(100_000)],
    ['closed lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{a: '.repeat(50_000)],
    ['items in items', '- '.repeat(100_000)],
    ['keys in keys', '? '.repeat(100_000)],
    ['keys in objects', '{? '.repeat(100_000)],
  ])('%s are too deep, and cost neither the time nor the stack', (_, text) => {
    expect(read(text)).toEqual([expect.stringMatching(new RegExp(`^${deep}\\d+: nested deeper than 64$`))]);
  });

  it('indentation is nesting too', () => {
    const indented = (levels: number) =>
      Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(read(indented(limits.nestingMax))).toMatchObject({ a: { a: {} } });
    expect(read(indented(limits.nestingMax + 1))).toEqual([expect.stringContaining('nested deeper than 64')]);
    expect(read(indented(1_000))).toEqual([expect.stringContaining('nested deeper than 64')]);
  });

  it('aliases may repeat, but make no text that would be too large to send', () => {
    const names = [...'abcdefghij'];
    const laughs = [
      `a: &a [${'lol, '.repeat(9)}]`,
      ...names.slice(1).map((name, index) => `${name}: &${name} [${`*${names[index]}, `.repeat(9)}]`),
    ];
    expect(read(laughs.join('\n'))).toEqual([
      expect.stringMatching(/^f:\d+:\d+: aliases make more than 8388608 bytes$/),
    ]);
    const long = `a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a, '.repeat(20)}]`;
    expect(read(long)).toEqual([expect.stringContaining('aliases make more than')]);
    expect(read(`a: &a ${'x'.repeat(1_000)}\nb: [${'*a, '.repeat(20)}]`)).toMatchObject({
      b: { length: 20 },
    });
  });

  it('aliases nest no deeper than anything else', () => {
    const steps = Array.from({ length: 70 }, (_, step) =>
      step === 0 ? '- &s0 [x]' : `- &s${step} [*s${step - 1}]`,
    );
    const problems = read(steps.join('\n'));
    expect(problems).toContainEqual(expect.stringMatching(/^f:64:\d+: nested deeper than 64$/));
    expect(read(steps.slice(0, 63).join('\n'))).toHaveLength(63);
    expect(read(steps.slice(0, 63).join('\n'))).not.toContainEqual(expect.stringContaining('nested'));
  });

  it('a text larger than a body may be is not even looked at', () => {
    expect(read(`a: ${'x'.repeat(limits.bodyBytesMax)}`)).toEqual([
      `f: the text has ${limits.bodyBytesMax + 3} bytes, the limit is ${limits.bodyBytesMax}`,
    ]);
  });
});
