import { expect, it } from 'vitest';
import { firstColumns, lastColumns } from './fit-columns.ts';

it.each([
  ['short', 5, 'short', 'short'],
  ['too long', 5, 'too l', '…long'],
  ['日本語の文', 10, '日本語の文', '日本語の文'],
  ['日本語の文', 9, '日本語の', '…本語の文'],
  ['日本語の文', 6, '日本語', '…の文'],
  ['go 👩‍🚀!', 6, 'go 👩‍🚀!', 'go 👩‍🚀!'],
  ['go 👩‍🚀!', 4, 'go ', '…👩‍🚀!'],
  ['e\u0301te\u0301', 3, 'e\u0301te\u0301', 'e\u0301te\u0301'],
  ['any', 0, '', '…'],
])('of %j there fit into %d columns %j, and of its end %j', (text, columns, first, last) => {
  expect(firstColumns(text, columns)).toBe(first);
  expect(lastColumns(text, columns)).toBe(last);
});
