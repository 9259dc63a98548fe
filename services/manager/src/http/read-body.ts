import type { Wrong } from '@foldmesh/client';
import { apiLimits } from '@foldmesh/client';
import { limits } from '@foldmesh/envelope';
import { problemsIn } from '@foldmesh/job';
import { type ParsedText, yamlText } from '@foldmesh/system';
import type { z } from 'zod';
import type { ApiCall } from './api-call.ts';
import { bytesOf, type Came } from './body-bytes.ts';
import { problem, type Refusal, withLines } from './problem.ts';

const { yamlBytesMax } = apiLimits;

/**
 * What may be JSON or YAML by its name: that, any text that says no more, and what a command line calls whatever it sends.
 */
const ours =
  /^((application|text)\/((vnd\.|x-)?yaml|json|[\w.-]+\+(json|yaml))|text\/plain|application\/x-www-form-urlencoded)$/;

const foreignTo = (headers: Headers): string | undefined => {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (!['', 'identity'].includes(encoding)) return encoding;
  const type = headers.get('content-type')?.trim() ?? '';
  const [name = '', ...parameters] = type.toLowerCase().split(';');
  if (name.trim() !== '' && !ours.test(name.trim())) return type;
  const charsets = parameters.flatMap((one) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(one)?.[1] ?? []);
  return charsets.every((one) => /^(utf-?8|us-ascii)$/.test(one)) ? undefined : type;
};

/** The body as a value with the lines of its fields, or the answer that says what is wrong with it. */
export const readBody = async (call: ApiCall): Promise<ParsedText | Response> => {
  const { request } = call;
  const unsupported = foreignTo(request.headers);
  if (unsupported !== undefined)
    return problem(call, {
      status: 415,
      code: 'unsupported_type',
      title: 'A body is JSON or YAML, in UTF-8 and not compressed',
      detail: `it says that it is ${unsupported}`,
    });
  const bytes = await bytesOf(request, call.bodies);
  if (!(bytes instanceof Uint8Array)) return problem(call, notCome[bytes]);
  const text = utf8(bytes);
  if (text === undefined) return unreadable(call, [{ path: [], message: 'it is not UTF-8' }]);
  if (bytes.length > yamlBytesMax && !/^\s*[{[]/.test(text))
    return problem(call, {
      status: 413,
      code: 'too_large',
      title: `A body in YAML may have ${yamlBytesMax} bytes`,
      detail: `in JSON it may have ${limits.bodyBytesMax}`,
    });
  const parsed = yamlText(text, 'body', { yamlBytesMax });
  return 'problems' in parsed ? unreadable(call, parsed.problems.map(placed)) : parsed;
};

/** The body as `schema` has it. One that is left out counts as `{}` where the schema allows that. */
export const readFields = async <T>(
  call: ApiCall,
  schema: z.ZodType<T>,
): Promise<{ readonly fields: T; readonly lineOf: ParsedText['lineOf'] } | Response> => {
  const read = await readBody(call);
  if (read instanceof Response) return read;
  const checked = schema.safeParse(read.value ?? {});
  if (checked.success) return { fields: checked.data, lineOf: read.lineOf };
  return unreadable(call, withLines(problemsIn(schema, checked.error.issues), read.lineOf));
};

const unreadable = (call: ApiCall, errors: readonly Wrong[]): Response =>
  problem(call, { status: 400, code: 'invalid_body', title: 'The body cannot be read', errors });

/** `body:3:14: what is wrong`, taken apart again. */
const placed = (said: string) => {
  const [, line, column, message] = /^body:(\d+)(?::(\d+))?: (.*)$/s.exec(said) ?? [];
  if (line === undefined || message === undefined) return { path: [], message: said.replace(/^body: /, '') };
  return {
    path: [],
    message,
    line: Number(line),
    ...(column !== undefined && { column: Number(column) }),
  };
};

const notCome: Readonly<Record<Exclude<Came, Uint8Array>, Refusal>> = {
  'too-large': { status: 413, code: 'too_large', title: `A body may have ${limits.bodyBytesMax} bytes` },
  'no-room': {
    status: 503,
    code: 'too_many_bodies',
    title: 'This process receives as many bodies as it can hold; ask again',
    retryAfterS: 1,
  },
  'broken-off': { status: 400, code: 'invalid_body', title: 'The body broke off' },
};

const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};
