import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigFile, fields } from './config-fields.ts';

/** The paths of every leaf of a schema of objects. */
const leavesOf = (schema: z.ZodType, path: readonly string[] = []): readonly string[] => {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (!(inner instanceof z.ZodObject)) return [path.join('.')];
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  return Object.entries(shape).flatMap(([name, field]) => leavesOf(field, [...path, name]));
};

describe('fields', () => {
  it('are those of the file, no more and no less', () => {
    expect(leavesOf(ConfigFile)).toEqual(Object.values(fields).map(({ path }) => path.join('.')));
  });

  it('have variables that are named after them', () => {
    for (const { path, variable } of Object.values(fields)) {
      const name = path.join('_').toUpperCase();
      expect(variable).toBe(['NATS_URL', 'REDIS_URL'].includes(name) ? name : `FOLDMESH_${name}`);
    }
  });

  it('accept their own defaults', () => {
    for (const { schema, fallback } of Object.values(fields))
      expect(schema.safeParse(fallback).success).toBe(true);
  });
});
