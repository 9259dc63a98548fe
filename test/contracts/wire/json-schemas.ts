import { catalogue, Entry, EnvelopeBody, Headers, kindOf, StoredLetter, type Type } from '@foldmesh/envelope';
import { JobEvent } from '@foldmesh/job';
import { RunEvent } from '@foldmesh/run';
import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export const wireTypes = Object.keys(catalogue) as readonly Type[]; // its keys, by definition of the type

/** Every schema that is published, by its path in the repository. */
export const jsonSchemas = (): ReadonlyMap<string, JsonSchema> =>
  new Map([
    ...wireTypes.map((type): [string, JsonSchema] => [envelopePath(type), envelopeSchema(type)]),
    [headersPath, titled(Headers, 'headers', 'input')],
    [entryPath, titled(Entry, 'entry', 'output')],
    [letterPath, titled(StoredLetter, 'dead-letter', 'input')],
    [eventPath('job'), titled(JobEvent, 'job-event', 'output')],
    [eventPath('run'), titled(RunEvent, 'run-event', 'output')],
  ]);

export const envelopePath = (type: Type): string =>
  `packages/envelope/schemas/v${kindOf(type).v}/${type}.json`;
export const headersPath = 'packages/envelope/schemas/v1/headers.json';
export const entryPath = 'packages/envelope/schemas/v1/entry.json';
export const letterPath = 'packages/envelope/schemas/v1/dead-letter.json';
export const eventPath = (of: 'job' | 'run'): string => `packages/${of}/schemas/v1/event.json`;

/** The body of a message of one type, its payload inside or behind a reference; a request has a deadline. */
const envelopeSchema = (type: Type): JsonSchema => {
  const { v, payload, request } = kindOf(type);
  const body = EnvelopeBody.extend({
    type: z.literal(type),
    v: z.literal(v),
    payload: payload.optional(),
    deadline: request ? EnvelopeBody.shape.deadline.unwrap() : EnvelopeBody.shape.deadline,
  });
  return {
    ...titled(body, type, 'input'),
    oneOf: [{ required: ['payload'] }, { required: ['payload_ref'] }],
  };
};

/** `input` is what a reader takes, `output` what a writer leaves behind; a JSON value may be anything. */
const titled = (schema: z.ZodType, name: string, io: 'input' | 'output'): JsonSchema => {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return { $schema, $id: `urn:foldmesh:v1:${name}`, title: name, ...rest } as JsonSchema; // as zod made it
};
