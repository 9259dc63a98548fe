import type { Json } from '@foldmesh/envelope';
import { defineSkill, type Skill, z } from '@foldmesh/sdk';

const remember = defineSkill({
  name: 'test.remember',
  input: z.array(
    z.strictObject({ text: z.string(), tags: z.array(z.string()).optional(), data: z.json().optional() }),
  ),
  run: (facts, call) =>
    call.all(
      facts.map((fact) => (branch) => branch.remember(fact)),
      1,
    ),
});

const recall = defineSkill({
  name: 'test.recall',
  input: z.json(),
  run: async (query, call) => [...(await call.recall(query as never))], // some are wrong on purpose
});

/** One that remembers a list of facts, one after the other, and one that recalls. */
export const memorySkills: readonly Skill[] = [remember, recall];

/** A task that remembers these texts. */
export const remembers = (...texts: readonly string[]): Json => ({
  id: 'remember',
  skill: 'test.remember',
  input: texts.map((text) => ({ text })),
});

/** A task that recalls. */
export const recalls = (query: Json, more: { readonly [field: string]: Json } = {}): Json => ({
  id: 'recall',
  skill: 'test.recall',
  input: query,
  ...more,
});

/** For a task that wants to find what was remembered. */
export const afterRemember = { depends_on: ['remember'] };
