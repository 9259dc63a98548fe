import { isJsonObject, type Json } from '@foldmesh/envelope';

/** What a job asks a person. */
export interface Asked {
  readonly request: string;
  readonly question: string;
  readonly schema?: Json | undefined;
}

/** `first.2.0 asks: Which colour? (red | blue)`. */
export const questionText = ({ request, question, schema }: Asked): string => {
  const choices = choicesOf(schema);
  return `${request} asks: ${question}${choices === undefined ? '' : ` (${choices.join(' | ')})`}`;
};

/** What a question leaves to choose from, as it is shown. */
export const choicesOf = (schema: Json | undefined): readonly string[] | undefined => {
  const choices = isJsonObject(schema) ? schema['enum'] : undefined;
  return Array.isArray(choices)
    ? choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)))
    : undefined;
};
