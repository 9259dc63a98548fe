import { canonicalJson, isJsonObject, type Json } from '@foldmesh/envelope';
import { judgeAnswer } from '@foldmesh/manager';
import { choicesOf } from './question-text.ts';

/** What is wrong with an answer by the question's own schema. One that cannot be used says nothing, as in the API. */
export const wrongAnswer = (answer: Json, schema: Json | undefined): string | undefined => {
  const choices = isJsonObject(schema) ? schema['enum'] : undefined;
  const asked = canonicalJson(answer);
  if (Array.isArray(choices) && !choices.some((choice) => canonicalJson(choice) === asked))
    return `that is none of ${choicesOf(schema)?.join(', ')}`;
  const judged = judgeAnswer(answer, schema);
  if ('unusable' in judged || judged.problems.length === 0) return undefined;
  const said = judged.problems.map(({ path, message }) => [...path.slice(1), message].join(' '));
  return `that is no answer to it: ${said.join('; ')}`;
};
