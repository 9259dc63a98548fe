import { limits } from '@foldmesh/envelope';
import type { Problem } from '@foldmesh/job';
import { type ParsedText, yamlText } from '@foldmesh/system';
import type { z } from 'zod';
import type { ApiCall } from './api-call.ts';
import { problem, withLines } from './problem.ts';

/**
 * What is neither JSON nor YAML by its name. Others are looked at: a command line that sends a file calls it a form.
 */
const foreign = /^(multipart\/|image\/|audio\/|video\/|application\/(octet-stream|xml|zip|gzip)|text\/html)/i;

/** The body as a value with the lines of its fields, or the answer that says what is wrong with it. */
export const readBody = async (call: ApiCall): Promise<ParsedText | Response> => {
  const { request } = call;
  const type = request.headers.get('content-type') ?? '';
  if (foreign.test(type))
    return problem(call, {
      status: 415,
      code: 'unsupported_type',
      title: 'A body is JSON or YAML',
      detail: `it says that it is ${type}`,
    });
  const bytes =
    Number(request.headers.get('content-length') ?? 0) > limits.bodyBytesMax
      ? undefined
      : await readUpTo(request, limits.bodyBytesMax);
  if (bytes === undefined)
    return problem(call, {
      status: 413,
      code: 'too_large',
      title: `A body may have ${limits.bodyBytesMax} bytes`,
    });
  const text = utf8(bytes);
  if (text === undefined) return unreadable(call, [{ path: [], message: 'it is not UTF-8' }]);
  const parsed = yamlText(text, 'body');
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
  const problems = checked.error.issues.flatMap(complaintsOf);
  return unreadable(call, withLines(problems, read.lineOf));
};

const unreadable = (call: ApiCall, errors: Parameters<typeof problem>[1]['errors']): Response =>
  problem(call, {
    status: 400,
    code: 'invalid_body',
    title: 'The body cannot be read',
    ...(errors !== undefined && { errors }),
  });

const complaintsOf = (issue: z.core.$ZodIssue): readonly Problem[] => {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: `unknown field ${key}` }));
};

/** `body:3:14: what is wrong`, taken apart again. */
const placed = (said: string) => {
  const [, line, message] = /^body:(\d+)(?::\d+)?: (.*)$/s.exec(said) ?? [];
  if (line === undefined || message === undefined) return { path: [], message: said.replace(/^body: /, '') };
  return { path: [], message, line: Number(line) };
};

/** Stops reading as soon as it is too much: the header may lie, or be missing. */
const readUpTo = async ({ body }: Request, bytesMax: number): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > bytesMax) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};
