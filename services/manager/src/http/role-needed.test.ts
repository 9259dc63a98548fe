import { expect, it } from 'vitest';
import { operations } from './operations.ts';
import { roleNeeded } from './role-needed.ts';

/** What may be done with less than an operator's role, besides looking. */
const below: Readonly<Record<string, string>> = {
  '/v1/plan': 'read',
  '/v1/jobs': 'submit',
  '/v1/jobs/{job}/cancel': 'submit',
  '/v1/jobs/{job}/inputs/{request}': 'submit',
};

it.each(operations.map(({ method, route: { path } }) => [method, path] as const))(
  '%s %s has the role that it should have',
  (method, path) => {
    const needed = method === 'GET' ? 'read' : (below[path] ?? 'operate');
    expect(roleNeeded(method, path.replace(/\{\w+\}/g, 'j-1'))).toBe(needed);
  },
);

it.each([
  ['GET', '/livez', 'nobody'],
  ['GET', '/readyz', 'nobody'],
  ['POST', '/readyz', 'nobody'],
  ['GET', '/readyz/', 'read'],
  ['GET', '/openapi.json', 'read'],
  ['HEAD', '/v1/jobs', 'read'],
  ['OPTIONS', '/v1/jobs', 'read'],
  ['PUT', '/v1/jobs', 'operate'],
  ['DELETE', '/v1/jobs/j-1', 'operate'],
  ['POST', '/v1/jobs/j-1/redrive', 'operate'],
  ['POST', '/v1/jobs/', 'operate'],
  ['POST', '/v1/jobs/j-1/cancel/more', 'operate'],
])('%s %s needs %s', (method, path, needed) => {
  expect(roleNeeded(method, path)).toBe(needed);
});
