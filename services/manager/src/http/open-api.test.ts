import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { componentSchemas } from './component-schemas.ts';
import { openApi } from './open-api.ts';
import { operations } from './operations.ts';

/** The document as a reader gets it. */
const read = (secured = false) => JSON.parse(JSON.stringify(openApi(operations, secured)));

describe('the OpenAPI document', () => {
  it('is one, of version 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(read());
    expect([valid, errors]).toEqual([true, undefined]);
    expect(validator.version).toBe('3.1');
  });

  it('tells of every route, and leads nowhere', () => {
    const { paths, components } = read();
    const told = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(told.toSorted()).toEqual(
      [
        ...operations.map(({ method, route }) => `${method} ${route.path}`),
        'GET /livez',
        'GET /openapi.json',
        'GET /readyz',
      ].toSorted(),
    );
    const references = [...JSON.stringify(read()).matchAll(/"#\/components\/schemas\/(\w+)/g)].map(
      ([, name = '']) => name,
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((name) => !(name in components.schemas))).toEqual([]);
  });

  it('has schemas of JSON Schema 2020-12 that say what a body may be', () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: 'urn:foldmesh:api', components: { schemas: componentSchemas() } });
    const valid = (name: string, value: unknown) =>
      ajv.getSchema(`urn:foldmesh:api#/components/schemas/${name}`)?.(value);
    const job = { name: 'n', plan: { tasks: [{ id: 'a', skill: 's' }] } };
    expect(valid('JobSpec', job)).toBe(true);
    expect(valid('JobSpec', { ...job, nam: 'n' })).toBe(false);
    expect(valid('JobSpec', { ...job, split: 'maybe' })).toBe(false);
    expect(valid('InputAnswer', { value: null })).toBe(true);
    expect(valid('InputAnswer', {})).toBe(false);
  });

  it('says that a key is needed where one is', () => {
    expect(read(true)).toMatchObject({
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      paths: { '/livez': { get: { security: [] } } },
    });
    expect(read()).not.toHaveProperty('components.securitySchemes');
  });

  it('says what a parameter may be', () => {
    const { parameters } = read().paths['/v1/jobs'].get;
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 200 }),
      }),
    );
  });
});
