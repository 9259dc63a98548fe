import { defineSkill, z } from '@foldmesh/sdk';

/** Kills the process that runs it, a moment after it has begun. */
export const poison = defineSkill({
  name: 'test.poison',
  input: z.strictObject({ ms: z.int().min(0).max(10_000) }),
  run: async ({ ms }, call) => {
    await call.sleep(ms);
    process.kill(process.pid, 'SIGKILL');
    return null;
  },
});
