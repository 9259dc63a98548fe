import { readFile } from 'node:fs/promises';

/** What the kernel counts in: a hundredth of a second on every Linux that Node runs on. */
const tickUs = 10_000;

/** Processor time that a process has had so far, in microseconds; undefined where the system does not tell. */
export const processCpuUs = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name stands in brackets and may hold spaces; user and system time are the 12th and 13th behind it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return undefined;
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
};

/** Processor time of each process while `work` ran, in microseconds, by its name. */
export const cpuDuring = async <T>(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpuUs: Readonly<Record<string, number>> }> => {
  const read = () => Promise.all(Object.values(pids).map(processCpuUs));
  const before = await read();
  const value = await work();
  const after = await read();
  const cpuUs: Record<string, number> = {};
  for (const [index, name] of Object.keys(pids).entries()) {
    const [from, to] = [before[index], after[index]];
    if (from !== undefined && to !== undefined) cpuUs[name] = to - from;
  }
  return { value, cpuUs };
};
