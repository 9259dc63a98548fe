import { isJsonObject, type Json } from '@foldmesh/envelope';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ManagerApp } from '../manager-app.ts';
import { openApi } from '../open-api.ts';
import { operations } from '../operations.ts';

/** The part of the document that is looked at here. */
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
}
interface Documented {
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

const document = openApi(operations, false) as unknown as Document; // as OpenAPI has it, of which the builder's type says less

/**
 * The same app, each answer of which is held against the document that it gives of itself: status, type and body. A field
 * that the document does not name is a fault of the document.
 */
export const documented =
  (app: ManagerApp): ManagerApp =>
  async (request) => {
    const response = await app(request);
    const wrong = await faultOf(request, response);
    if (wrong !== undefined)
      throw new Error(`${request.method} ${request.url} answered ${response.status}: ${wrong}`);
    return response;
  };

const faultOf = async (request: Request, response: Response): Promise<string | undefined> => {
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0];
  if (headers.get('traceparent') === null) return 'it does not say its trace';
  const operation = operationAt(request);
  // Of what there is not, the document cannot speak; it still is a problem.
  const answer = operation === undefined || status === 405 ? unlisted : operation.responses[status];
  if (request.method === 'OPTIONS') return status === 204 ? undefined : 'OPTIONS is 204';
  if (answer === undefined) return 'the document does not know this status';
  if (request.method === 'HEAD' || response.body === null) return undefined;
  const schema = answer.content?.[type ?? '']?.schema;
  if (schema === undefined) return `the document does not know the type ${type}`;
  // A stream that is read here would be gone.
  if (type === 'text/event-stream') return undefined;
  return complaintOf(schema, await response.clone().json());
};

const unlisted: Answer = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
};

const operationAt = ({ method, url }: Request): Documented | undefined => {
  const parts = new URL(url).pathname.split('/').map(decodeURIComponent);
  const found = Object.entries(document.paths).find(([path]) => {
    const names = path.split('/');
    return names.length === parts.length && names.every((name, at) => /^\{/.test(name) || name === parts[at]);
  });
  return found?.[1][method === 'HEAD' ? 'get' : method.toLowerCase()];
};

/** Objects that the document leaves open for later fields are closed: today there are no others. */
const closed = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return isJsonObject(schema['properties']) && schema['additionalProperties'] === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
};

const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
ajv.addSchema({ $id: 'urn:foldmesh:api', components: closed(document.components as unknown as Json) }); // JSON throughout

/** What is wrong with a value that is to be of the schema that this name has in the document. */
export const undocumented = (name: string, value: unknown): string | undefined =>
  complaintOf({ $ref: `#/components/schemas/${name}` }, value);

const complaintOf = (schema: Json, value: unknown): string | undefined => {
  const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string') return undefined;
  const valid: ValidateFunction | undefined = ajv.getSchema(`urn:foldmesh:api${reference}`);
  if (valid === undefined) return `the document has no ${reference}`;
  return valid(value) === true ? undefined : `${ajv.errorsText(valid.errors)} in ${JSON.stringify(value)}`;
};
