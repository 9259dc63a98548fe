import { expect, it } from 'vitest';
import { checkAmounts, positive } from './amounts.ts';

it.each<[string, Record<string, number>]>([
  ['tokens of a model is no unit', { 'tokens of a model': 1 }],
  ['-1 is no amount of tokens', { model_calls: 1, tokens: -1 }],
  ['0.5 is no amount of tokens', { tokens: 0.5 }],
  ['NaN is no amount of tokens', { tokens: Number.NaN }],
  ['1000000000000 is no amount of tokens', { tokens: 10 ** 12 }],
])('says that %s', (says, amounts) => {
  expect(() => checkAmounts(amounts)).toThrow(says);
});

it('takes whole numbers, and nothing of a unit for the unit not being there', () => {
  const amounts = { tokens: 10 ** 12 - 1, model_calls: 0, cost_micro_usd: 1 };
  checkAmounts(amounts);
  expect(positive(amounts)).toEqual({ tokens: 10 ** 12 - 1, cost_micro_usd: 1 });
});
