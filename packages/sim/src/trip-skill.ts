import { defineSkill, z } from '@foldmesh/sdk';

const Step = z.strictObject({ tool: z.string(), input: z.json() });

/** Calls one after the other, then side by side, then a fact to remember: all that a skill's numbering is for. */
export const tripSkill = defineSkill({
  name: 'sim.trip',
  input: z.strictObject({
    first: z.array(Step),
    beside: z.array(Step),
    remember: z.string().optional(),
    after: z.unknown().optional(),
  }),
  run: async ({ first, beside, remember }, call) => {
    for (const { tool, input } of first) await call.tool(tool, input);
    const all = await call.all(
      beside.map(
        ({ tool, input }) =>
          (branch) =>
            branch.tool(tool, input),
      ),
    );
    if (remember !== undefined) await call.remember({ text: remember });
    return { all: [...all] };
  },
});
