import { setTimeout } from 'node:timers';
import { defineSkill, z } from '@foldmesh/sdk';

/** Says that it is done, and leaves something behind that throws a moment later. */
export const litter = defineSkill({
  name: 'test.litter',
  input: z.strictObject({ ms: z.int().min(0) }),
  run: async ({ ms }) => {
    setTimeout(() => {
      throw new Error('left behind');
    }, ms);
    return { done: true };
  },
});
