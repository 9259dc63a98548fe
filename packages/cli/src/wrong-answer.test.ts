import { expect, it } from 'vitest';
import { readAnswer } from './read-answer.ts';
import { wrongAnswer } from './wrong-answer.ts';

const judged = (said: string, schema: Parameters<typeof wrongAnswer>[1]) =>
  wrongAnswer(readAnswer(said, schema), schema);

it('takes what is among the choices, of whatever kind they are', () => {
  const schema = { enum: ['red', 2, { deep: true }] };
  expect(['red', '2', '{"deep":true}'].map((said) => judged(said, schema))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(judged('green', schema)).toBe('that is none of red, 2, {"deep":true}');
});

it('says what is wrong by the schema of the question, and where', () => {
  expect(judged('many', { type: 'integer' })).toBe('that is no answer to it: must be integer');
  expect(judged('{"age":"x"}', { type: 'object', properties: { age: { type: 'number' } } })).toBe(
    'that is no answer to it: age must be number',
  );
  expect(judged('3', { type: 'string' })).toBeUndefined();
  expect(judged('anything', undefined)).toBeUndefined();
});

it('leaves alone what a schema that cannot be used says nothing of', () => {
  expect(judged('x', { type: 'no such type' })).toBeUndefined();
});
