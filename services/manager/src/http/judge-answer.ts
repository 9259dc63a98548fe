import { isJsonObject, type Json } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import { workInTime } from '@foldmesh/system';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

/**
 * How long a schema may take over one answer: a pattern in it can try for centuries, and meanwhile nobody else would be
 * answered. Milliseconds.
 */
const judgeMs = 250;

/** All that is wrong with an answer by a JSON Schema, or why that says nothing of it. Where there is no schema all is well. */
export const judgeAnswer = (
  value: Json,
  schema: Json | undefined,
): { readonly problems: readonly Problem[] } | { readonly unusable: string } => {
  if (!isJsonObject(schema)) return { problems: [] };
  try {
    return { problems: workInTime(() => complaintsOf(schema, value), judgeMs) };
  } catch (error) {
    return { unusable: error instanceof Error ? error.message : String(error) };
  }
};

const complaintsOf = (schema: object, value: Json): readonly Problem[] => {
  // `$async` would make a promise of every verdict.
  const valid = new Ajv2020({ allErrors: true, strict: false, logger: false }).compile({
    ...schema,
    $async: false,
  });
  return valid(value) ? [] : (valid.errors ?? []).map(complaintOf);
};

const complaintOf = ({ instancePath, message = 'is invalid', params }: ErrorObject): Problem => {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const allowed: unknown = params['allowedValues'] ?? params['additionalProperty'];
  return {
    path: ['value', ...path],
    message: allowed === undefined ? message : `${message}: ${JSON.stringify(allowed)}`,
  };
};
