import { expect, it } from 'vitest';
import { atLeast, isNode, isPnpm } from './wanted.mjs';

it.each([
  ['v24.22.3', '24.0.0', true],
  ['24.0.0', '24.0.0', true],
  ['26.0.0\n', '24.22.3', true],
  ['24.9.0', '24.10.0', false],
  ['v20.20.2', '24.0.0', false],
  ['9.99.99', '10.0.0', false],
  ['command not found', '1.0.0', false],
  ['', '1.0.0', false],
])('compares %j with %j', (found, least, expected) => {
  expect(atLeast(found, least)).toBe(expected);
});

it('takes Node from 24 on and pnpm only of the line it was tried with', () => {
  expect(['23.11.0', '24.0.0', '25.1.0'].map(isNode)).toEqual([false, true, true]);
  expect(['9.15.0', '10.34.8', '10.34.9', '10.99.0', '11.0.0'].map(isPnpm)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});
