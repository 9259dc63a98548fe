import { runInNewContext } from 'node:vm';

/** How often it is begun, each time with twice as long by the clock, where a machine that has much to do lets it wait. */
const triesMax = 4;

/**
 * What this says, if it says so within so many milliseconds of computing; else it throws. The clock alone would blame it for
 * what others computed meanwhile, so it may be carried out more than once. It stops even a regular expression, which nothing
 * else does.
 */
export const workInTime = <T>(work: () => T, timeoutMs: number): T => {
  for (let tries = 0; tries < triesMax; tries++) {
    const began = process.threadCpuUsage();
    try {
      return runInNewContext('work()', { work }, { timeout: timeoutMs * 2 ** tries });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      // Of this time alone: what was computed before was computed in vain.
      if (computedMs(began) >= timeoutMs) break;
    }
  }
  throw new Error(`timed out after ${timeoutMs} ms of computing`);
};

/** It is an error of the other context, and so no `Error` of ours. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const computedMs = (began: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
};
