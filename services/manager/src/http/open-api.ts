import { OpenAPIHono } from '@hono/zod-openapi';
import { componentSchemas, type SchemaName, schemaRef } from './component-schemas.ts';
import { type Operation, problemOf } from './operation.ts';
import { roleNeeded } from './role-needed.ts';

/** The version of the API, which is that of its paths. */
const version = '1.0.0';

const description =
  'Jobs of a mesh: submit, follow, cancel. Times are milliseconds since 1970 UTC unless a field says otherwise. Every error is problem details (RFC 9457) with a code for programs. Unknown fields and parameters are errors.';

/** The description of the API in OpenAPI 3.1: made of what the routes themselves are made of. */
export const openApi = (operations: readonly Operation[], secured: boolean): object => {
  const described = new OpenAPIHono();
  const { openAPIRegistry: registry } = described;
  for (const [name, schema] of Object.entries(componentSchemas()))
    registry.registerComponent('schemas', name, schema);
  if (secured) registry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' });
  for (const { route } of operations) registry.registerPath(route);
  for (const { path, id, summary, schema, problems } of besides)
    registry.registerPath({
      method: 'get',
      path,
      operationId: id,
      summary,
      ...(roleNeeded('GET', path) === 'nobody' && { security: [] }),
      responses: {
        200: {
          description: 'It is.',
          content: { 'application/json': { schema: schema === undefined ? {} : schemaRef(schema) } },
        },
        ...Object.fromEntries(problems.map((status) => [status, problemOf(status)])),
      },
    });
  const document = described.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'foldmesh',
      version,
      description,
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: secured ? [{ key: [] }] : [],
  });
  return { ...document, jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' };
};

/** What is answered besides: how a process is, and this document. */
const besides: readonly {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly schema?: SchemaName;
  readonly problems: readonly number[];
}[] = [
  { path: '/livez', id: 'livez', summary: 'Whether the process lives.', schema: 'Live', problems: [403] },
  {
    path: '/readyz',
    id: 'readyz',
    summary: 'Whether it may be sent requests; if not, `errors` names all that keeps it.',
    schema: 'Ready',
    problems: [403, 503],
  },
  { path: '/openapi.json', id: 'openApi', summary: 'This document.', problems: [401, 403] },
];
