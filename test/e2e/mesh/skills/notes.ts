import { defineSkill, z } from '@foldmesh/sdk';

/** Remembers so many facts, one after the other, and recalls those with its tag. */
export const notes = defineSkill({
  name: 'test.notes',
  input: z.strictObject({ name: z.string(), count: z.int().min(1).max(50) }),
  output: z.strictObject({ texts: z.array(z.string()) }),
  run: async ({ name, count }, call) => {
    for (let step = 0; step < count; step++) {
      await call.remember({ text: `${name}/${step}`, tags: [name] });
      await call.sleep(50);
    }
    const facts = await call.recall({ tags: [name], limit: 100 });
    return { texts: facts.map(({ text }) => text).toSorted() };
  },
});
