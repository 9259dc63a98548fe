import { expect, test } from 'vitest';
import { z } from 'zod';
import { closestName, knownFields } from './known-fields.ts';
import { JobSpec } from './spec.ts';

test('fields are found through lists, what may be missing, and alternatives', () => {
  expect(knownFields(JobSpec, [])).toContain('inputs');
  expect(knownFields(JobSpec, ['plan'])).toEqual(['tasks', 'result']);
  expect(knownFields(JobSpec, ['plan', 'tasks', 3])).toContain('for_each');
  expect(knownFields(JobSpec, ['plan', 'tasks', 3, 'depends_on', 0])).toEqual(['task', 'optional']);
  for (const nowhere of [['nowhere'], ['name'], ['__proto__'], ['plan', 'tasks', 3, 'skill']])
    expect(knownFields(JobSpec, nowhere)).toEqual([]);
});

test('fields are found behind what stands for them where they are left out', () => {
  const limits = z.strictObject({ turns: z.int().default(3) });
  const schema = z.strictObject({ limits: limits.prefault({}), more: limits.default({ turns: 1 }) });
  expect([knownFields(schema, ['limits']), knownFields(schema, ['more'])]).toEqual([['turns'], ['turns']]);
});

test('a name is close to one that two letters lead to, and to none that shares little with it', () => {
  const names = ['skill', 'tool', 'depends_on', 'id'];
  expect(['skil', 'tools', 'depend_on', 'sklil'].map((name) => closestName(name, names))).toEqual([
    'skill',
    'tool',
    'depends_on',
    'skill',
  ]);
  expect(['colour', 'i', 'ix', 'x', ''].map((name) => closestName(name, names))).toEqual(
    Array.from({ length: 5 }),
  );
});
