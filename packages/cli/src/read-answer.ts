import { isJsonObject, type Json } from '@foldmesh/envelope';
import { jsonOrText } from './parse-option.ts';

/** Text where a text is wanted, however it reads; anything else as JSON where it is some. */
export const readAnswer = (said: string, schema: Json | undefined): Json => {
  const wanted = isJsonObject(schema) ? schema['type'] : undefined;
  return wanted === 'string' ? said : jsonOrText(said);
};
