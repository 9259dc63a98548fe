import { appendFile } from 'node:fs/promises';
import { defineSkill, z } from '@foldmesh/sdk';

/** Calls the witness several times, one after the other: a worker that dies between two of them must not repeat the first. */
export const errands = defineSkill({
  name: 'test.errands',
  input: z.strictObject({
    name: z.string(),
    count: z.int().min(1).max(20),
    ms: z.int().min(0),
    tool: z.string(),
  }),
  output: z.strictObject({ done: z.array(z.string()) }),
  run: async ({ name, count, ms, tool }, call) => {
    await begun(name);
    const done: string[] = [];
    for (let step = 0; step < count; step++) {
      const effect = `${name}/${step}`;
      await call.tool(tool, { effect, ms });
      done.push(effect);
    }
    return { done };
  },
});

/** Says that it runs, for those who want to know where and how often: this is no effect that the mesh knows of. */
const begun = async (name: string): Promise<void> => {
  const runs = process.env['WITNESS_RUNS'];
  if (runs !== undefined)
    await appendFile(runs, `${JSON.stringify({ name, pid: process.pid, at: Date.now() })}\n`);
};
