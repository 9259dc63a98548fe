import { join, resolve } from 'node:path';
import { type ChildProcess, childProcess, eventually, freePort } from '@foldmesh/testbed';
import { nodeCommand } from '../measure/commanded-child.ts';

const root = resolve(import.meta.dirname, '../..');
const readyMs = 30_000;
/** How often a service that starts is asked whether it is ready: no start is told more exactly. */
export const readyEveryMs = 10;
const endMs = 5_000;

/** One service as its `main.ts` runs it, with these variables and no others. Resolves when it says that it is ready. */
export const meshProcess = async (
  service: string,
  environment: Readonly<Record<string, string>>,
  folder: string,
  nodeArguments: readonly string[],
): Promise<ChildProcess> => {
  const port = await freePort();
  const env = { PATH: process.env['PATH'] ?? '', ...environment, FOLDMESH_HEALTH_PORT: String(port) };
  const command = nodeCommand(join(root, 'services', service, 'src/main.ts'), nodeArguments);
  const child = await childProcess(command, { env, cwd: folder, name: service });
  const ready = eventually(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (!answer.ok) throw new Error(`${service} is not ready: ${await answer.text()} ${child.err()}`);
    },
    { withinMs: readyMs, everyMs: readyEveryMs },
  );
  const gone = child.ended.then((how) => {
    throw new Error(`${service} ended with ${how}: ${child.err()}`);
  });
  try {
    await Promise.race([ready, gone]);
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...child,
    // Asked to end, it can still write the profile that it may have been started for.
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await Promise.race([child.ended, new Promise((wake) => setTimeout(wake, endMs))]);
      await child[Symbol.asyncDispose]();
    },
  };
};
