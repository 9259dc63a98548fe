import { describe, expect, it } from 'vitest';
import { CommandError } from './command.ts';
import { jsonOrText, parseInput, parseLabel, parseList, parseWhole } from './parse-option.ts';

describe('what an option is given', () => {
  it('is JSON where it reads as some, and text where it does not', () => {
    expect(['1', 'true', '[1]', '"1"', 'a=b', '', '{'].map(jsonOrText)).toEqual([
      1,
      true,
      [1],
      '1',
      'a=b',
      '',
      '{',
    ]);
  });

  it('is a name and a value, divided by the first =', () => {
    expect(parseInput('n=1', { a: 'b' })).toEqual({ a: 'b', n: 1 });
    expect(parseInput('text=a=b', {})).toEqual({ text: 'a=b' });
    expect(parseLabel('n=1', {})).toEqual({ n: '1' });
    for (const wrong of ['n', '=1', '']) {
      expect(() => parseInput(wrong, {})).toThrow(CommandError);
      expect(() => parseLabel(wrong, {})).toThrow(`--label wants name=value, got "${wrong}"`);
    }
  });

  it('is a list over commas and repeats', () => {
    expect(parseList('c, d', parseList('a,b', []))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is a whole number within its bounds', () => {
    const port = parseWhole('--port', 0, 65_535);
    expect([port('0'), port('65535')]).toEqual([0, 65_535]);
    for (const wrong of ['65536', '-1', '1.5', 'http', ''])
      expect(() => port(wrong)).toThrow(`--port wants a number from 0 to 65535, got "${wrong}"`);
  });
});
