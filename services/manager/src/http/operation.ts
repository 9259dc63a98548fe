import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import type { ApiCall } from './api-call.ts';
import { type SchemaName, schemaRef } from './component-schemas.ts';
import type { QuerySchema } from './read-query.ts';

/** Problems that every operation may answer with. */
const everywhere = [400, 401, 403, 406, 500, 503] as const;

const problemsSaid: Readonly<Record<number, string>> = {
  400: 'What was sent cannot be read, or asks for what there is not; `errors` names all of it.',
  401: 'A valid API key is needed.',
  403: 'The caller may not do this.',
  404: 'There is none, or none that the caller may know of.',
  406: 'The caller takes none of the types that there are.',
  409: 'It is too late for this.',
  413: 'The body is too large.',
  415: 'The body is of a type that is not understood.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too much is waiting; `Retry-After` says when to ask again.',
  500: 'Something is wrong on this side.',
  503: 'Part of the mesh is away, or it has not answered in time; `Retry-After` says when to ask again.',
};

interface Answered {
  readonly status: 200 | 202;
  readonly said: string;
  /** JSON of this shape; any JSON where nothing is said. */
  readonly schema?: SchemaName;
  /** Of an answer that is no JSON. */
  readonly type?: 'text/event-stream';
  readonly headers?: Readonly<Record<string, string>>;
}

/** How one operation of the API is documented, and what answers it. */
export interface OperationSpec<Schema extends QuerySchema> {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/v1/jobs/{job}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: Schema;
  /** Header fields by name, and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly schema: SchemaName; readonly required: boolean };
  readonly answered: Answered;
  /** Statuses without a problem, besides: what each says. */
  readonly also?: Readonly<Record<number, string>>;
  readonly problems?: readonly number[];
  readonly answer: (call: ApiCall<z.output<Schema>>) => Promise<Response>;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  /** The type of its answer when all is well. */
  readonly type: string;
  readonly route: ReturnType<typeof routeOf>;
  readonly query: QuerySchema;
  readonly answer: (call: ApiCall) => Promise<Response>;
}

const noQuery = z.strictObject({});

/** What is declared once is what is documented, what is checked, and what answers. */
export const operation = <Schema extends QuerySchema>(spec: OperationSpec<Schema>): Operation => ({
  method: spec.method === 'get' ? 'GET' : 'POST',
  type: spec.answered.type ?? 'application/json',
  route: routeOf(spec),
  query: spec.query ?? noQuery,
  answer: (call) => spec.answer(call as ApiCall<z.output<Schema>>), // read with this very schema before
});

const routeOf = <Schema extends QuerySchema>(spec: OperationSpec<Schema>) => {
  const { method, path, id, summary, query, headers = {}, body, answered, also = {}, problems = [] } = spec;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const statuses = [...everywhere, ...(body === undefined ? [] : [413, 415]), ...problems].toSorted();
  return createRoute({
    method,
    path,
    operationId: id,
    summary,
    request: {
      ...(names.length > 0 && {
        params: z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()]))),
      }),
      ...(query !== undefined && { query }),
      ...(Object.keys(headers).length > 0 && {
        headers: z.object(
          Object.fromEntries(
            Object.entries(headers).map(([name, says]) => [name, z.string().optional().describe(says)]),
          ),
        ),
      }),
      ...(body !== undefined && {
        body: {
          required: body.required,
          content: {
            'application/json': { schema: schemaRef(body.schema) },
            'application/yaml': { schema: schemaRef(body.schema) },
          },
        },
      }),
    },
    responses: {
      [answered.status]: answerOf(answered),
      ...Object.fromEntries(Object.entries(also).map(([status, description]) => [status, { description }])),
      ...Object.fromEntries(statuses.map((status) => [status, problemOf(status)])),
    },
  });
};

const answerOf = ({ said, schema, type, headers = {} }: Answered) => ({
  description: said,
  headers: Object.fromEntries(
    Object.entries({ traceparent: 'The trace that the request belongs to.', ...headers }).map(
      ([name, description]) => [name, { description, schema: { type: 'string' as const } }],
    ),
  ),
  content: {
    [type ?? 'application/json']: { schema: schema === undefined ? unnamed(type) : schemaRef(schema) },
  },
});

const unnamed = (type: Answered['type']) => (type === undefined ? {} : { type: 'string' as const });

/** How a problem of this status is told of. */
export const problemOf = (status: number) => ({
  description: problemsSaid[status] ?? '',
  ...([429, 503].includes(status) && {
    headers: {
      'retry-after': { description: 'Whole seconds.', schema: { type: 'integer' as const, minimum: 1 } },
    },
  }),
  content: { 'application/problem+json': { schema: schemaRef('ProblemDetails') } },
});
