import type { Wrong } from '@foldmesh/client';
import { problemsIn } from '@foldmesh/job';
import { z } from 'zod';

/** The query of an operation: names it does not know are errors. */
export type QuerySchema = z.ZodObject<z.core.$ZodLooseShape>;

/** What a request asks for behind the `?`, or all that is wrong with it. A name that is no list stands there once. */
export const readQuery = <Schema extends QuerySchema>(
  request: Request,
  schema: Schema,
): { readonly query: z.output<Schema> } | { readonly errors: readonly Wrong[] } => {
  const { searchParams } = new URL(request.url);
  const asked = new Map<string, unknown>();
  const errors: Wrong[] = [];
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    if (values.length > 1 && !isList(schema, name))
      errors.push({ path: [name], message: `is given ${values.length} times` });
    else asked.set(name, isList(schema, name) ? values : values[0]);
  }
  const parsed = schema.safeParse(Object.fromEntries(asked));
  if (parsed.success && errors.length === 0) return { query: parsed.data };
  return { errors: [...errors, ...problemsIn(schema, parsed.error?.issues ?? [], 'parameter')] };
};

const isList = ({ shape }: QuerySchema, name: string): boolean => {
  const field: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return (field instanceof z.ZodOptional ? field.unwrap() : field) instanceof z.ZodArray;
};
