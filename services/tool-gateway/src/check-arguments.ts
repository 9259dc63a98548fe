import { fail, fault, ok, type Result } from '@foldmesh/envelope';
import { type Tool, z } from '@foldmesh/sdk';

const saidMax = 5;

/**
 * The arguments as the tool's code gets them, or a fault that names each wrong one and lists those there are. A name that
 * the schema lacks is wrong even where the schema would pass it over: a misspelt one must not mean "the default".
 */
export const checkArguments = (tool: Tool, input: unknown): Result<unknown> => {
  const parsed = tool.input.safeParse(input);
  const unknown = parsed.success ? unknownNames(tool.input, input, []) : [];
  if (parsed.success && unknown.length === 0) return ok(parsed.data);
  const problems = parsed.success ? unknown : [...new Set(parsed.error.issues.flatMap(complaints))];
  const more = problems.length > saidMax ? ` (and ${problems.length - saidMax} more)` : '';
  const said = `${problems.slice(0, saidMax).join('; ')}${more}`;
  return fail(fault('invalid', `${tool.name}: ${said}; ${allowedBy(tool.input)}`));
};

const complaints = (issue: z.core.$ZodIssue): readonly string[] => {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownAt([...path, key]));
  return [path.length > 0 ? `${path.join('.')}: ${issue.message}` : issue.message];
};

const unknownAt = (path: readonly string[]): string => `${path.join('.')}: there is no such argument`;

/** Names that a schema which is not strict would drop without a word, also further down. */
const unknownNames = (
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[],
): readonly string[] => {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((element, index) => unknownNames(inner.element, element, [...path, String(index)]));
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape;
  const takesAll = inner.def.catchall !== undefined; // a strict one has complained by now, a loose one wants them
  return Object.entries(value).flatMap(([name, field]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known !== undefined) return unknownNames(known, field, [...path, name]);
    return takesAll ? [] : [unknownAt([...path, name])];
  });
};

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap())
    : schema;

const allowedBy = (schema: z.ZodType): string => {
  const object = unwrapped(schema);
  if (!(object instanceof z.ZodObject)) return 'see its schema';
  const shape: Readonly<Record<string, z.core.$ZodType>> = object.shape;
  const names = Object.entries(shape).map(([name, field]) =>
    isOptional(field) ? name : `${name} (required)`,
  );
  return names.length > 0 ? `the arguments are ${names.join(', ')}` : 'it has no arguments';
};

const isOptional = (schema: z.core.$ZodType): boolean => z.safeParse(schema, undefined).success;
